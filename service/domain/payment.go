package domain

import "time"

// PaymentStatus is the state of one payment.
type PaymentStatus string

// The states of a payment.
const (
	PaymentOpen     PaymentStatus = "open"
	PaymentCaptured PaymentStatus = "captured"
	PaymentDeclined PaymentStatus = "declined"
	PaymentRefunded PaymentStatus = "refunded"
)

// Payment is recorded before the gateway is called.
type Payment struct {
	ID          string
	OrderID     string
	Gateway     string
	GatewayRef  string // the gateway's own id, unique
	Status      PaymentStatus
	AmountMinor int64
	Currency    string
	Returned    bool // whether a capture was not the order's one payment and goes back on its own
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// RefundStatus is the state of one refund.
type RefundStatus string

// The states of a refund.
const (
	RefundDue  RefundStatus = "due"
	RefundDone RefundStatus = "done"
)

// Refund gives a captured payment back.
type Refund struct {
	ID          string
	PaymentID   string
	OrderID     string
	Status      RefundStatus
	AmountMinor int64
	Currency    string
	Reason      Reason
	GatewayRef  string
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// CallbackType is what a gateway tells us.
type CallbackType string

// The callbacks.
const (
	CallbackCaptured CallbackType = "payment.captured"
	CallbackDeclined CallbackType = "payment.declined"
)

// Callback is a verified message of a payment gateway.
type Callback struct {
	ID          string       `json:"id"`
	Type        CallbackType `json:"type"`
	PaymentID   string       `json:"payment_id"`
	GatewayRef  string       `json:"gateway_ref"`
	AmountMinor int64        `json:"amount_minor"`
	Currency    string       `json:"currency"`
}
