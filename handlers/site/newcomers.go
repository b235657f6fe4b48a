package site

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/singleflight"

	"usher/handlers/request"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
)

// newcomers turns visitors into guests at the moment in which they take seats. Somebody who presses the button
// twice sends two requests without a session: both must become the same guest, or the second would find the seats
// taken by the first. So the guest is remembered for a moment under the form's own key, which only this visitor's
// page carries.
type newcomers struct {
	accounts *service.Accounts
	visits   *frame.Visits
	now      func() time.Time

	making singleflight.Group
	mu     sync.Mutex
	known  map[string]newcomer
}

type newcomer struct {
	userID  string
	token   string
	expires time.Time
	since   time.Time
}

// Bounds of the memory.
const (
	newcomerLife  = 2 * time.Minute
	newcomersMost = 10_000
	formKeyLength = 26 // of a key that our own pages made; shorter ones may repeat
	guestTimeout  = 5 * time.Second
)

func newNewcomers(accounts *service.Accounts, visits *frame.Visits, now func() time.Time) *newcomers {
	return &newcomers{accounts: accounts, visits: visits, now: now, known: map[string]newcomer{}}
}

// user returns who takes the seats: the session's user, else a guest whose session the answer brings along.
func (n *newcomers) user(c *gin.Context, req service.HoldRequest) (string, error) {
	session, err := request.User(c.Request.Context())
	if err == nil {
		return session.UserID, nil
	}
	if !errors.Is(err, domain.ErrUnauthenticated) {
		return "", err
	}
	guest, err := n.guest(c.Request.Context(), req.ScreeningID+" "+req.Key+" "+c.ClientIP(), len(req.Key) == formKeyLength)
	if err != nil {
		return "", err
	}
	n.visits.Give(c, guest.token, guest.expires)
	return guest.userID, nil
}

func (n *newcomers) guest(ctx context.Context, form string, remember bool) (newcomer, error) {
	if !remember {
		return n.make(ctx)
	}
	v, err, _ := n.making.Do(form, func() (any, error) {
		// The browser gives up the first of two requests, the guest is for both.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), guestTimeout)
		defer cancel()
		if guest, ok := n.recall(form); ok && n.visits.Valid(ctx, guest.token) {
			return guest, nil
		}
		guest, err := n.make(ctx)
		if err == nil {
			n.keep(form, guest)
		}
		return guest, err
	})
	if err != nil {
		return newcomer{}, err
	}
	guest, _ := v.(newcomer)
	return guest, nil
}

func (n *newcomers) make(ctx context.Context) (newcomer, error) {
	user, err := n.accounts.Guest(ctx)
	if err != nil {
		return newcomer{}, err
	}
	guest := newcomer{userID: user.ID, since: n.now()}
	guest.token, guest.expires, err = n.visits.Create(ctx, user)
	return guest, err
}

func (n *newcomers) recall(form string) (newcomer, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	guest, ok := n.known[form]
	return guest, ok && n.now().Sub(guest.since) < newcomerLife
}

func (n *newcomers) keep(form string, guest newcomer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= newcomersMost {
		n.drop()
	}
	n.known[form] = guest
}

// drop makes room: what is over goes, and everything when nothing is.
func (n *newcomers) drop() {
	for form, guest := range n.known {
		if n.now().Sub(guest.since) >= newcomerLife {
			delete(n.known, form)
		}
	}
	if len(n.known) >= newcomersMost {
		clear(n.known)
	}
}
