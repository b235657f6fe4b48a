package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"usher/handlers/response"
	"usher/service"
	"usher/service/domain"
)

// EventsOptions bound the live streams.
type EventsOptions struct {
	Max       int           // streams of this process, default 5,000
	Heartbeat time.Duration // sign of life when nothing changes, default 15 s
	Patience  time.Duration // how long one write may take, default 10 s
	Now       func() time.Time
	Stopping  <-chan struct{} // closed when the process is about to end
}

// Events streams the changes of a seat map (Server-Sent Events). A reader that does not keep up is told to read
// the whole map, one that does not read at all is cut; neither holds up anybody else.
type Events struct {
	catalog *service.Catalog
	feed    *service.SeatFeed
	opts    EventsOptions
	open    atomic.Int64
}

// NewEvents makes the handler and its gauge of open streams.
func NewEvents(catalog *service.Catalog, feed *service.SeatFeed, registry prometheus.Registerer, opts EventsOptions) (*Events, error) {
	if opts.Max == 0 {
		opts.Max = 5_000
	}
	if opts.Heartbeat == 0 {
		opts.Heartbeat = 15 * time.Second
	}
	if opts.Patience == 0 {
		opts.Patience = 10 * time.Second
	}
	e := &Events{catalog: catalog, feed: feed, opts: opts}
	err := registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "usher_seat_streams", Help: "Open live streams of seat maps.",
	}, func() float64 { return float64(e.open.Load()) }))
	if err != nil {
		return nil, fmt.Errorf("register the gauge of streams: %w", err)
	}
	return e, nil
}

// Stream answers with the changes since Last-Event-ID, and then as they come, until the reader goes away. A
// reader that is new, or that was away for too long, is first told to read the whole map.
func (e *Events) Stream(c *gin.Context) {
	if e.open.Add(1) > int64(e.opts.Max) {
		e.open.Add(-1)
		response.Error(c, domain.ErrBusy)
		return
	}
	defer e.open.Add(-1)
	ctx, id := c.Request.Context(), c.Param("id")
	if _, err := shown(ctx, e.catalog, id); err != nil {
		response.Error(c, err)
		return
	}

	seen := c.GetHeader("Last-Event-ID")
	viewer, err := e.feed.Watch(ctx, id, seen)
	if err != nil {
		response.Error(c, err)
		return
	}
	defer viewer.Close()
	var first []service.Delta
	if seen == "" {
		now, err := e.feed.View(ctx, id, "")
		if err != nil {
			response.Error(c, err)
			return
		}
		first = append(first, service.Delta{Epoch: now.Epoch, Version: now.Version, Free: now.Free, Reload: true})
	}

	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must hand on each event at once
	c.Status(http.StatusOK)
	e.follow(c, viewer, first)
}

func (e *Events) follow(c *gin.Context, viewer *service.Viewer, first []service.Delta) {
	out := &eventWriter{to: c.Writer, control: http.NewResponseController(c.Writer), now: e.opts.Now, patience: e.opts.Patience}
	out.text("retry: 3000\n\n")
	for _, d := range first {
		out.delta(d)
	}
	if !out.flush() {
		return
	}
	beat := time.NewTicker(e.opts.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-c.Request.Context().Done():
			return
		case <-e.opts.Stopping:
			return
		case <-beat.C:
			out.text(":\n\n")
		case d, more := <-viewer.C:
			if !out.drain(viewer.C, d, more) { // it lagged, is told to reload, and comes again with the id it saw last
				out.flush()
				return
			}
		}
		if !out.flush() {
			return
		}
	}
}

// eventWriter collects events and writes them together.
type eventWriter struct {
	to       gin.ResponseWriter
	control  *http.ResponseController
	now      func() time.Time
	patience time.Duration
	buf      bytes.Buffer
}

type seatsEvent struct {
	Version int64                `json:"version"`
	Free    int                  `json:"free"`
	Changes []service.SeatChange `json:"changes"`
}

type reloadEvent struct {
	Version int64 `json:"version"`
	Free    int   `json:"free"`
}

func (w *eventWriter) text(s string) { w.buf.WriteString(s) }

func (w *eventWriter) delta(d service.Delta) {
	name, data := "seats", any(seatsEvent{Version: d.Version, Free: d.Free, Changes: append([]service.SeatChange{}, d.Changes...)})
	if d.Reload {
		name, data = "reload", reloadEvent{Version: d.Version, Free: d.Free}
	}
	body, err := json.Marshal(data)
	if err != nil {
		panic("seat event: " + err.Error()) // texts and numbers always marshal
	}
	w.text("id: " + strconv.FormatInt(d.Epoch, 10) + "-" + strconv.FormatInt(d.Version, 10) + "\nevent: " + name + "\ndata: ")
	w.buf.Write(body)
	w.text("\n\n")
}

// drain collects the delta and all that wait behind it; false says that there will be no more.
func (w *eventWriter) drain(from <-chan service.Delta, d service.Delta, more bool) bool {
	for more {
		w.delta(d)
		select {
		case d, more = <-from:
		default:
			return true
		}
	}
	return false
}

// flush writes what was collected. The deadline counts for this write only: an open stream may be silent for as
// long as it likes.
func (w *eventWriter) flush() bool {
	_ = w.control.SetWriteDeadline(w.now().Add(w.patience)) // where it cannot be set the server's own counts
	_, err := w.to.Write(w.buf.Bytes())
	if err == nil {
		err = w.control.Flush()
	}
	w.buf.Reset()
	_ = w.control.SetWriteDeadline(time.Time{})
	return err == nil
}
