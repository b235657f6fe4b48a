package domain

import "time"

// EffectKind is what a ledger decision still has to cause elsewhere.
type EffectKind string

// The effects. GiveBack frees what one attempt of one hold took; Confirm marks a hold sold; Repair makes the
// order's seats what the ledger says at delivery; Mirror sends a screening's settings; Refund asks the gateway.
const (
	EffectGiveBack EffectKind = "give_back"
	EffectConfirm  EffectKind = "confirm"
	EffectRepair   EffectKind = "repair"
	EffectMirror   EffectKind = "mirror_settings"
	EffectRefund   EffectKind = "refund"
)

// EffectStatus is the state of an effect row. A row is never re-armed: a new decision is a new row.
type EffectStatus string

// The states of an effect.
const (
	EffectDue  EffectStatus = "due"
	EffectDone EffectStatus = "done"
	EffectDead EffectStatus = "dead"
)

// Effect is a ledger decision that still has to be mirrored into the hold store or sent to someone.
// It is delivered at least once, by anybody, in any order.
type Effect struct {
	ID            string
	Kind          EffectKind
	ScreeningID   string
	OrderID       string
	Attempt       int
	Seats         []int  // seats concerned; the whole hold when empty
	Ref           string // refund id
	Status        EffectStatus
	Attempts      int
	NextAttemptAt time.Time
	LastError     string
	CreatedAt     time.Time
}

// DeadLetterStatus is the state of a dead letter.
type DeadLetterStatus string

// The states of a dead letter.
const (
	DeadLetterOpen        DeadLetterStatus = "open"
	DeadLetterCompensated DeadLetterStatus = "compensated"
	DeadLetterSettled     DeadLetterStatus = "settled"
)

// DeadLetter is work that used up its attempts and waits for a person.
type DeadLetter struct {
	ID          string
	Source      string // settlement or effect
	Partition   int
	StreamID    string
	ScreeningID string
	OrderID     string
	Payload     string
	LastError   string
	Deliveries  int
	Status      DeadLetterStatus
	ExpiresAt   time.Time
	CreatedAt   time.Time
}
