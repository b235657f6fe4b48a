package paygate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"usher/service"
	"usher/service/domain"
)

// Outcome is what a person chooses on the sandbox's pay page.
type Outcome string

// The outcomes.
const (
	Approve   Outcome = "approve"   // the money is taken
	Decline   Outcome = "decline"   // the card is refused
	Timeout   Outcome = "timeout"   // nobody ever hears; the payment stays open
	Duplicate Outcome = "duplicate" // the money is taken once, and told three times under two ids
	Late      Outcome = "late"      // the money is taken, and told after the order's time was up
)

// Outcomes lists them in the order of the pay page.
var Outcomes = []Outcome{Approve, Decline, Timeout, Duplicate, Late}

// ParseOutcome reads an outcome. ErrInvalid names the field.
func ParseOutcome(s string) (Outcome, error) {
	for _, o := range Outcomes {
		if string(o) == s {
			return o, nil
		}
	}
	return "", domain.ErrInvalid.With("outcome", "Choose approve, decline, timeout, duplicate or late.")
}

// lateBy is what a late message waits beyond the order's end: the expiry job ends an order within 5 s.
const lateBy = 5 * time.Second

// LateAfter returns when a late message is to be sent.
func LateAfter(o *domain.Order) time.Time { return o.ExpiresAt.Add(lateBy) }

// secretMin is the least length of a signing secret.
const secretMin = 16

// Sandbox is the built-in gateway. It keeps nothing: what it says follows from the payment and the outcome.
type Sandbox struct {
	keys keyring
}

// NewSandbox returns a sandbox that signs with the first secret and accepts all of them.
func NewSandbox(secrets ...[]byte) (*Sandbox, error) {
	if len(secrets) == 0 {
		return nil, errors.New("sandbox: no signing secret")
	}
	for i, s := range secrets {
		if len(s) < secretMin {
			return nil, fmt.Errorf("sandbox: signing secret %d is shorter than %d bytes", i+1, secretMin)
		}
	}
	return &Sandbox{keys: secrets}, nil
}

// Name returns sandbox.
func (*Sandbox) Name() string { return "sandbox" }

// Start returns the payment's page on usher itself.
func (*Sandbox) Start(_ context.Context, p domain.Payment) (string, error) {
	return "/pay/sandbox/" + p.ID, nil
}

// Refund gives back at once; the same refund has the same reference.
func (*Sandbox) Refund(_ context.Context, _ domain.Payment, r domain.Refund) (string, error) {
	return "sbx_refund_" + r.ID, nil
}

// Verify checks and reads a message. ErrSignature when it is not signed with one of the secrets or not of now,
// ErrMalformed when it is signed but cannot be read.
func (s *Sandbox) Verify(h service.CallbackHeaders, body []byte, now time.Time) (domain.Callback, error) {
	if err := s.keys.verify(h, body, now); err != nil {
		return domain.Callback{}, err
	}
	var cb domain.Callback
	if err := json.Unmarshal(body, &cb); err != nil {
		return domain.Callback{}, domain.ErrMalformed.Because(err)
	}
	if cb.PaymentID == "" || cb.Type == "" || cb.ID != h.ID {
		return domain.Callback{}, domain.ErrMalformed
	}
	return cb, nil
}

// SignedCallback is a message as it goes over the wire.
type SignedCallback struct {
	Headers service.CallbackHeaders
	Body    []byte
}

// Callbacks returns the messages that follow from an outcome, signed for now, in the order in which they are sent:
// none for a timeout. For a late one call it at LateAfter, since a message is believed for five minutes only.
func (s *Sandbox) Callbacks(p domain.Payment, outcome Outcome, now time.Time) ([]SignedCallback, error) {
	switch outcome {
	case Approve, Late:
		return s.messages(p, now, domain.CallbackCaptured)
	case Decline:
		return s.messages(p, now, domain.CallbackDeclined)
	case Duplicate:
		told, err := s.messages(p, now, domain.CallbackCaptured, domain.CallbackCaptured)
		if err != nil {
			return nil, err
		}
		return []SignedCallback{told[0], told[0], told[1]}, nil
	case Timeout:
		return nil, nil
	default:
		return nil, domain.ErrInvalid.With("outcome", "There is no such outcome.")
	}
}

// messages signs one message, with an id of its own, for each of the types.
func (s *Sandbox) messages(p domain.Payment, now time.Time, types ...domain.CallbackType) ([]SignedCallback, error) {
	out := make([]SignedCallback, len(types))
	for i, typ := range types {
		cb := domain.Callback{
			ID: "evt_" + service.NewID(), Type: typ, PaymentID: p.ID, GatewayRef: "sbx_" + p.ID,
			AmountMinor: p.AmountMinor, Currency: p.Currency,
		}
		body, err := json.Marshal(cb)
		if err != nil {
			return nil, fmt.Errorf("encode callback: %w", err)
		}
		out[i] = SignedCallback{Headers: s.keys.sign(cb.ID, body, now), Body: body}
	}
	return out, nil
}
