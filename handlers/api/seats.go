package api

import (
	"context"
	"net/http"
	"strings"

	"usher/handlers/request"
	"usher/service"
)

// Seats shows seat maps. Most readers of a screening see the same bytes, so they are made once per version.
type Seats struct {
	catalog *service.Catalog
	feed    *service.SeatFeed
	bodies  *seatBodies
}

// NewSeats makes the handler with an empty memory of bodies.
func NewSeats(catalog *service.Catalog, feed *service.SeatFeed) *Seats {
	return &Seats{catalog: catalog, feed: feed, bodies: newSeatBodies()}
}

type seatsInput struct {
	ID          string `path:"id"`
	IfNoneMatch string `header:"If-None-Match"`
}

type seatsOutput struct {
	Status       int
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	ETag         string `header:"ETag"`
	Body         []byte
}

// seatsView documents the body, which is written by hand (seatbody.go).
type seatsView struct {
	ScreeningID string     `json:"screening_id"`
	Epoch       int64      `json:"epoch"`
	Version     int64      `json:"version"`
	Free        int        `json:"free"`
	Seats       []seatView `json:"seats" nullable:"false" doc:"Empty for general admission."`
}

type seatView struct {
	No         string  `json:"no" doc:"Key of the seat, unique and stable in its plan. People read zone, row and label."`
	Zone       string  `json:"zone"`
	Row        string  `json:"row"`
	Label      string  `json:"label"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
	Tier       string  `json:"tier"`
	PriceMinor int64   `json:"price_minor"`
	State      string  `json:"state" enum:"free,held,sold,blocked,mine"`
}

// View shows the map as of now, with the asking user's own seats as mine.
func (h *Seats) View(ctx context.Context, in *seatsInput) (*seatsOutput, error) {
	listed, err := shown(ctx, h.catalog, in.ID)
	if err != nil {
		return nil, err
	}

	view, err := h.feed.View(ctx, in.ID, request.Visitor(ctx).UserID)
	if err != nil {
		return nil, err
	}

	body := h.bodies.of(listed, &view)
	out := &seatsOutput{Status: http.StatusOK, CacheControl: "private, no-cache", ETag: body.etag}
	if matches(in.IfNoneMatch, body.etag) {
		out.Status = http.StatusNotModified
		return out, nil
	}
	out.ContentType, out.Body = "application/json", body.bytes
	return out, nil
}

// matches reports whether an If-None-Match header names the tag; weak or not is the same for it.
func matches(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// mine is the state of a seat that the asking user owns, held or paid.
const mine = "mine"
