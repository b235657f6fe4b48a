package api

import (
	"context"
	"encoding/json"
	"net/http"

	"usher/handlers/request"
	"usher/service"
	"usher/service/domain"
)

// Holds takes seats.
type Holds struct{ Holds *service.Holds }

type placeHoldInput struct {
	ScreeningID string `path:"id"`
	Key         string `header:"Idempotency-Key" doc:"1 to 255 visible ASCII characters; the same key gives the same answer for 24 hours."`
	Body        holdBody
}

type holdBody struct {
	Seats    []string  `json:"seats,omitempty" nullable:"false" doc:"Seats by number. Send one of seats, best and quantity."`
	Best     *bestSpec `json:"best,omitempty" doc:"The best free seats together."`
	Quantity int       `json:"quantity,omitempty" doc:"Places of general admission."`
}

type bestSpec struct {
	Count int    `json:"count"`
	Tier  string `json:"tier,omitempty" doc:"Any tier when it is left out."`
}

// holdOutput is written as it comes: the first answer is given again byte for byte.
type holdOutput struct {
	Status      int
	ContentType string `header:"Content-Type"`
	Location    string `header:"Location"`
	Replayed    string `header:"Idempotent-Replayed"`
	Body        []byte
}

type pendingHold struct {
	ID     string             `json:"id"`
	Status domain.OrderStatus `json:"status"`
}

// Place takes the seats, all or none.
func (h *Holds) Place(ctx context.Context, in *placeHoldInput) (*holdOutput, error) {
	user, err := request.User(ctx)
	if err != nil {
		return nil, err
	}

	req := service.HoldRequest{
		ScreeningID: in.ScreeningID, UserID: user.UserID, Key: in.Key, Lang: request.Language(ctx), Seats: in.Body.Seats, Quantity: in.Body.Quantity,
	}
	if in.Body.Best != nil {
		req.Best = &service.BestRequest{Count: in.Body.Best.Count, Tier: in.Body.Best.Tier}
	}

	placed, err := h.Holds.Place(ctx, req)
	if err != nil {
		return nil, err
	}

	out := &holdOutput{Status: http.StatusCreated, ContentType: "application/json", Location: Prefix + "/orders/" + placed.HoldID, Body: placed.Body}
	if placed.Repeat {
		out.Replayed = "true"
	}
	if placed.Pending {
		out.Status = http.StatusAccepted
		if out.Body, err = json.Marshal(pendingHold{ID: placed.HoldID, Status: domain.OrderConfirming}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
