package domain

import (
	"hash/fnv"
	"time"
)

// Partitions is the number of hash-tagged shares of the hold store.
const Partitions = 16

// PartitionOf returns the partition of a screening: FNV-1a of its id, modulo 16. It is fixed at creation and
// stored in the ledger.
func PartitionOf(screeningID string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(screeningID))
	return int(h.Sum32() % Partitions)
}

// HoldKind tells a buyer's hold from a staff block.
type HoldKind string

// The kinds of a hold.
const (
	HoldByBuyer HoldKind = "hold"
	HoldBlock   HoldKind = "block"
)

// EventType is the type of a hold-store event.
type EventType string

// The hold-store events.
const (
	EventHeld      EventType = "held"
	EventReleased  EventType = "released"
	EventConfirmed EventType = "confirmed"
	EventBlocked   EventType = "blocked"
	EventUnblocked EventType = "unblocked"
	EventRebuilt   EventType = "rebuilt"
	EventRepaired  EventType = "repaired" // seats became what the ledger says; Seats share one new State
)

// HoldDetail is the part of a held event that only settlement needs. It is written once, when the hold is
// made, so that prices and the first answer stay what they were.
type HoldDetail struct {
	Seats       []SeatRef `json:"seats,omitempty"`
	Currency    string    `json:"cur"`
	Key         string    `json:"key"`
	Fingerprint string    `json:"fp"`
	Answer      string    `json:"ans"`
	Lang        string    `json:"lang,omitempty"`
}

// Event is one entry of a partition's event stream.
type Event struct {
	Partition   int
	StreamID    string
	Type        EventType
	Epoch       int64
	ScreeningID string
	HoldID      string
	UserID      string
	Attempt     int
	Quantity    int
	AmountMinor int64
	AcceptedAt  time.Time
	ExpiresAt   time.Time
	Version     int64  // the map's version after this change
	Seats       []int  // indexes that changed
	State       byte   // what they changed to; 0 for general admission
	Map         string // the whole map, for rebuilt
	Detail      HoldDetail
}

// HoldRecord is what the hold store remembers of a hold.
type HoldRecord struct {
	HoldID      string
	State       SeatState
	UserID      string
	ExpiresAt   time.Time
	Quantity    int
	AmountMinor int64
	Attempt     int
	Seats       []int
	StreamID    string
}
