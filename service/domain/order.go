package domain

import (
	"fmt"
	"time"
)

// OrderStatus is the state of an order in the ledger.
type OrderStatus string

// The states of an order. An order that the ledger does not have yet is shown as confirming; that word is
// never stored.
const (
	OrderReserved  OrderStatus = "reserved"
	OrderPaying    OrderStatus = "paying"
	OrderPaid      OrderStatus = "paid"
	OrderRefunding OrderStatus = "refunding"
	OrderRefunded  OrderStatus = "refunded"
	OrderFailed    OrderStatus = "failed"
	OrderExpired   OrderStatus = "expired"
	OrderCancelled OrderStatus = "cancelled"

	// OrderNone is the state before the row exists, the start of every first transition.
	OrderNone OrderStatus = ""
	// OrderConfirming is shown while the hold is in flight.
	OrderConfirming OrderStatus = "confirming"
)

// LiveStatuses are the states in which an order owns its seats.
var LiveStatuses = []OrderStatus{OrderReserved, OrderPaying, OrderPaid}

// Live reports whether an order in this state owns its seats.
func (s OrderStatus) Live() bool {
	return s == OrderReserved || s == OrderPaying || s == OrderPaid
}

// Final reports whether nothing but money can still move the order.
func (s OrderStatus) Final() bool {
	switch s {
	case OrderPaid, OrderRefunded, OrderFailed, OrderExpired, OrderCancelled:
		return true
	case OrderNone, OrderReserved, OrderPaying, OrderRefunding, OrderConfirming:
		return false
	}
	return false
}

// transitions is the state machine of docs/state-machines.md. Anything else is a bug.
var transitions = map[OrderStatus][]OrderStatus{
	OrderNone:      {OrderReserved, OrderFailed, OrderExpired, OrderCancelled},
	OrderReserved:  {OrderPaying, OrderExpired, OrderCancelled},
	OrderPaying:    {OrderPaid, OrderReserved, OrderExpired, OrderCancelled},
	OrderPaid:      {OrderRefunding},
	OrderRefunding: {OrderRefunded},
	OrderExpired:   {OrderPaid, OrderRefunding},
	OrderCancelled: {OrderRefunding},
	OrderFailed:    {OrderRefunding},
	OrderRefunded:  {},
}

// CanBecome reports whether the state machine has an edge from s to next.
func (s OrderStatus) CanBecome(next OrderStatus) bool {
	for _, t := range transitions[s] {
		if t == next {
			return true
		}
	}
	return false
}

// MustBecome panics when the state machine has no edge from s to next: a transition that is not in the
// machine is a programmer's error, never data.
func (s OrderStatus) MustBecome(next OrderStatus) {
	if !s.CanBecome(next) {
		panic(fmt.Sprintf("order: no transition from %q to %q", s, next))
	}
}

// Reason says why an order ended as it did.
type Reason string

// The reasons.
const (
	ReasonSeatConflict       Reason = "seat_conflict"
	ReasonVersionConflict    Reason = "version_conflict"
	ReasonSoldOut            Reason = "sold_out"
	ReasonLimitExceeded      Reason = "limit_exceeded"
	ReasonScreeningCancelled Reason = "screening_cancelled"
	ReasonLost               Reason = "lost"
	ReasonDuplicate          Reason = "duplicate_of"
	ReasonKeyReused          Reason = "key_reused"
	ReasonTimeUp             Reason = "time_up"
	ReasonByBuyer            Reason = "by_buyer"
	ReasonByStaff            Reason = "by_staff"
	ReasonDeadLetter         Reason = "dead_letter"
	ReasonLateMoney          Reason = "late_money"
	ReasonNone               Reason = ""
)

// SeatRef names a seat of an order with the price it was held at. Index is its place in the layout.
type SeatRef struct {
	No         string `json:"no"`
	Index      int    `json:"i"`
	Tier       string `json:"tier"`
	PriceMinor int64  `json:"price"`
}

// Order is what a hold becomes in the ledger. Its id is its hold's id.
type Order struct {
	ID             string
	ScreeningID    string
	UserID         string
	Status         OrderStatus
	Reason         Reason
	DuplicateOf    string
	Attempt        int
	Version        int64
	Quantity       int
	AmountMinor    int64
	Currency       string
	IdempotencyKey string
	Fingerprint    string
	Answer         string // the first answer, byte for byte
	AcceptedAt     time.Time
	ExpiresAt      time.Time
	FirstExpiresAt time.Time
	Extended       bool
	Email          string
	Name           string
	Lang           string
	BookingCode    string
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Seats          []SeatRef
}

// OrderEvent is one step of an order's life.
type OrderEvent struct {
	OrderID string
	Version int64
	From    OrderStatus
	To      OrderStatus
	Actor   string // buyer, settlement, expiry, gateway, staff:<id>
	Reason  Reason
	At      time.Time
}
