package paygate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"usher/service/domain"
)

// answerMax bounds what is read of an answer; only its status counts.
const answerMax = 64 << 10

// Deliver posts the messages one after the other. An answer other than 2xx ends it: the messages can be sent
// again, all of them, without harm.
func Deliver(ctx context.Context, client *http.Client, callbackURL string, callbacks []SignedCallback) error {
	for _, cb := range callbacks {
		if err := post(ctx, client, callbackURL, cb); err != nil {
			return fmt.Errorf("deliver callback %s: %w", cb.Headers.ID, err)
		}
	}
	return nil
}

func post(ctx context.Context, client *http.Client, callbackURL string, cb SignedCallback) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, callbackURL, bytes.NewReader(cb.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("webhook-id", cb.Headers.ID)
	req.Header.Set("webhook-timestamp", cb.Headers.Timestamp)
	req.Header.Set("webhook-signature", cb.Headers.Signature)
	res, err := client.Do(req)
	if err != nil {
		return domain.ErrUnavailable.Because(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, answerMax)) // so that the connection can be used again
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return domain.ErrUnavailable.Because(fmt.Errorf("answered %s", res.Status))
	}
	return nil
}

// Player does what a person chose on the sandbox's pay page.
//
// A late message is kept in the process only: one that is waiting when the process ends is never sent, and the
// payment stays open, like after a timeout.
type Player struct {
	Sandbox     *Sandbox
	Client      *http.Client // with a timeout
	CallbackURL string       // usher's own /api/v1/payments/sandbox/callback
	Now         func() time.Time
	After       func(d time.Duration, run func()) // time.AfterFunc in the program
	Log         *slog.Logger

	late sync.Map // ids of payments whose late message waits
}

// lateTimeout bounds the sending of a late message, which has no request to belong to.
const lateTimeout = 10 * time.Second

// Play sends the outcome's messages and returns when they are answered; for a late one it returns at once.
// ErrInvalid for an unknown outcome, ErrUnavailable when a message was not taken.
func (p *Player) Play(ctx context.Context, payment *domain.Payment, order *domain.Order, choice string) error {
	outcome, err := ParseOutcome(choice)
	if err != nil {
		return err
	}
	if payment.Status != domain.PaymentOpen && outcome == Late {
		return nil // it has been decided; nothing is late any more
	}
	if wait := LateAfter(order).Sub(p.Now()); outcome == Late && wait > 0 {
		if _, waiting := p.late.LoadOrStore(payment.ID, true); waiting {
			return nil // one message is late, however often the button was pressed
		}
		p.After(wait, func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateTimeout)
			defer cancel()
			defer p.late.Delete(payment.ID)
			if err := p.send(ctx, payment, outcome); err != nil {
				p.Log.ErrorContext(ctx, "late callback not taken", "payment_id", payment.ID, "error", err)
			}
		})
		return nil
	}
	return p.send(ctx, payment, outcome)
}

func (p *Player) send(ctx context.Context, payment *domain.Payment, outcome Outcome) error {
	callbacks, err := p.Sandbox.Callbacks(*payment, outcome, p.Now())
	if err != nil {
		return err
	}
	return Deliver(ctx, p.Client, p.CallbackURL, callbacks)
}
