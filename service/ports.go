package service

import (
	"context"
	"time"

	"usher/service/domain"
)

// CallbackHeaders are the three headers of a signed gateway message (Standard Webhooks).
type CallbackHeaders struct {
	ID        string // webhook-id
	Timestamp string // webhook-timestamp, seconds since 1970
	Signature string // webhook-signature, "v1,<base64>", several apart by blanks
}

// PaymentGateway takes and returns money. Its calls leave the process, so none is made inside a transaction, and
// each may be repeated: Start with the same payment gives the same pay page, Refund with the same refund pays once.
type PaymentGateway interface {
	// Name is what payments are recorded under and what stands in the callback's address.
	Name() string
	// Start returns where the buyer pays a recorded payment.
	Start(ctx context.Context, p domain.Payment) (payURL string, err error)
	// Refund gives a captured payment back and returns the gateway's id of that.
	Refund(ctx context.Context, p domain.Payment, r domain.Refund) (gatewayRef string, err error)
	// Verify checks the signature and age of a message and reads it. ErrSignature, ErrMalformed.
	Verify(h CallbackHeaders, body []byte, now time.Time) (domain.Callback, error)
}

// InFlight reports whether the user has a hold of this id that the ledger does not know yet.
type InFlight func(ctx context.Context, orderID, userID string) (bool, error)
