package handlers_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"usher/handlers"
	"usher/handlers/handlertest"
	"usher/repo/repotest"
	"usher/service/domain"
)

// event is one event of a stream; a comment has text only.
type event struct{ id, name, data, comment string }

// stream is a live stream as a browser reads it.
type stream struct {
	t      *testing.T
	res    *http.Response
	events chan event
	stop   context.CancelFunc
}

func open(t *testing.T, h *handlertest.House, screeningID, lastID string) *stream {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL+"/api/v1/screenings/"+screeningID+"/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip")
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := http.DefaultTransport.RoundTrip(req) //nolint:bodyclose // close does
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{t: t, res: res, events: make(chan event, 1000), stop: stop}
	go s.read()
	t.Cleanup(s.close)
	return s
}

func (s *stream) close() {
	s.stop()
	_ = s.res.Body.Close()
}

func (s *stream) read() {
	defer close(s.events)
	var e event
	lines := bufio.NewScanner(s.res.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			if e != (event{}) {
				s.events <- e
			}
			e = event{}
		case name == "":
			e.comment = "comment " + value
		case name == "id":
			e.id = value
		case name == "event":
			e.name = value
		case name == "data":
			e.data = value
		}
	}
}

// next returns the next event that is no comment; ok is false when the stream has ended.
func (s *stream) next() (event, bool) {
	s.t.Helper()
	patience := time.NewTimer(10 * time.Second)
	defer patience.Stop()
	for {
		select {
		case e, more := <-s.events:
			if !more || e.comment == "" {
				return e, more
			}
		case <-patience.C:
			s.t.Fatal("no event in 10 s")
		}
	}
}

func (s *stream) want(name, data string) event {
	s.t.Helper()
	e, _ := s.next()
	if e.name != name || e.data != data {
		s.t.Fatalf("got %+v, want %s %s", e, name, data)
	}
	return e
}

func TestStreamFollowsTheMap(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	u := h.Guest(t)
	a, b := open(t, h, sc.ID, ""), open(t, h, sc.ID, "")
	head := a.res.Header
	if head.Get("Content-Type") != "text/event-stream" || head.Get("X-Accel-Buffering") != "no" || head.Get("Content-Encoding") != "" || head.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", head)
	}
	first, _ := a.next()
	if first.name != "reload" || first.id == "" {
		t.Fatalf("a new viewer got %+v first", first)
	}
	var epoch, version int64
	if _, err := fmt.Sscanf(first.id, "%d-%d", &epoch, &version); err != nil {
		t.Fatalf("id %q: %v", first.id, err)
	}
	b.next()

	order := idOf(t, u.Hold(t, sc.ID, "k1", `{"seats":["A1","A2"]}`).Want(t, 201))
	held := fmt.Sprintf(`{"version":%d,"free":28,"changes":[{"no":"A1","state":"held"},{"no":"A2","state":"held"}]}`, version+1)
	if got := a.want("seats", held); got.id != fmt.Sprintf("%d-%d", epoch, version+1) {
		t.Errorf("id %s", got.id)
	}
	b.want("seats", held)

	b.close()
	u.Do(t, handlertest.Call{Method: "DELETE", Path: "/api/v1/orders/" + order}).Want(t, 200)
	freed := fmt.Sprintf(`{"version":%d,"free":30,"changes":[{"no":"A1","state":"free"},{"no":"A2","state":"free"}]}`, version+2)
	a.want("seats", freed)

	open(t, h, sc.ID, fmt.Sprintf("%d-%d", epoch, version+1)).want("seats", freed)
	for _, unknown := range []string{fmt.Sprintf("%d-%d", epoch-1, version), fmt.Sprintf("%d-%d", epoch, version+99), "nonsense"} {
		if e, _ := open(t, h, sc.ID, unknown).next(); e.name != "reload" || e.id != fmt.Sprintf("%d-%d", epoch, version+2) {
			t.Errorf("after %q: %+v", unknown, e)
		}
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Handlers: handlers.Options{MaxStreams: 2}})
	sc := h.Screening(t)
	a := open(t, h, sc.ID, "")
	open(t, h, sc.ID, "")
	refused := h.Nobody().Get(t, "/api/v1/screenings/"+sc.ID+"/events")
	refused.Refused(t, 503, "busy")
	if refused.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", refused.Header.Get("Retry-After"))
	}
	a.close()
	eventually(t, func() (bool, string) {
		s := open(t, h, sc.ID, "")
		defer s.close()
		return s.res.StatusCode == http.StatusOK, s.res.Status
	})
}

func TestStreamHasASignOfLife(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Handlers: handlers.Options{Heartbeat: 20 * time.Millisecond}})
	s := open(t, h, h.Screening(t).ID, "")
	s.next()
	if e := <-s.events; e.comment == "" {
		t.Errorf("got %+v", e)
	}
}

// BC-68: a viewer that never reads is cut, holds up nobody, and leaves nothing behind.
func TestStalledViewerIsCut(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{
		Handlers: handlers.Options{Heartbeat: 2 * time.Millisecond, Patience: 100 * time.Millisecond}, Small: true,
	})
	sc := h.Screening(t, func(o *repotest.Opts) { o.Kind, o.Capacity = domain.KindGeneral, 100_000 })
	conn, err := smallDialer().Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "GET /api/v1/screenings/%s/events HTTP/1.1\r\nHost: usher\r\n\r\n", sc.ID)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() (bool, string) { return h.Feed.Viewers() == 1, "nobody watches" })

	reader := open(t, h, sc.ID, "")
	reader.next()
	u := h.Guest(t)
	for i := range 20 {
		u.Hold(t, sc.ID, fmt.Sprint("k", i), `{"quantity":1}`).Want(t, 201)
		if e, more := reader.next(); !more || e.name != "seats" {
			t.Fatalf("the reader got %+v, %v", e, more)
		}
	}
	eventuallyWithin(t, 20*time.Second, func() (bool, string) { return h.Feed.Viewers() == 1, "the stalled viewer is still there" })
}

// smallDialer makes connections with the smallest receive buffer, set before the window is announced.
func smallDialer() *net.Dialer {
	return &net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 1) })
	}}
}

func TestStreamsEndWithTheProcess(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	var streams []*stream
	for range 20 {
		s := open(t, h, sc.ID, "")
		s.next()
		streams = append(streams, s)
	}
	h.Stop()
	for _, s := range streams {
		if e, more := s.next(); more {
			t.Errorf("after the end: %+v", e)
		}
		s.close()
	}
	eventually(t, func() (bool, string) {
		n := h.Gauge(t, "usher_seat_streams") // handlers that have not returned
		return n == 0 && h.Feed.Viewers() == 0, fmt.Sprint(n, " streams, ", h.Feed.Viewers(), " viewers")
	})
}
