package domain

// SeatKind says what a seat is for, beside its price tier.
type SeatKind string

// The kinds of a seat.
const (
	SeatStandard   SeatKind = "standard"
	SeatWheelchair SeatKind = "wheelchair"
	SeatCompanion  SeatKind = "companion"
	SeatLove       SeatKind = "love" // half of a pair that is sold together; Pair names the other half
)

// Seat is a physical seat. X and Y are its centre in plan units (x right, y down, the plan's own scale).
type Seat struct {
	No    string   `json:"no"` // unique and stable in its plan; people read zone, row and label
	Zone  string   `json:"zone"`
	Row   string   `json:"row"`
	Label string   `json:"label"`
	X     float64  `json:"x"`
	Y     float64  `json:"y"`
	Tier  string   `json:"tier"`
	Kind  SeatKind `json:"kind,omitempty"`
	Pair  string   `json:"pair,omitempty"`
}

// Side is the edge of the plan at which the screen or stage stands.
type Side string

// The sides.
const (
	SideTop    Side = "top"
	SideBottom Side = "bottom"
)

// SeatTier is a price category of a plan.
type SeatTier struct {
	Name  string `json:"name"`
	Color string `json:"color,omitempty"` // CSS colour from the plan file, for staff
}

// SeatLayout is one version of an auditorium's plan. A seat's index is its place in Seats; it never changes
// within a version, and the hold store speaks of seats by index only.
type SeatLayout struct {
	ID           string     `json:"id"`
	AuditoriumID string     `json:"auditorium_id"`
	Version      int        `json:"version"`
	Name         string     `json:"name"`
	Width        float64    `json:"width"`
	Height       float64    `json:"height"`
	Screen       Side       `json:"screen"`
	Tiers        []SeatTier `json:"tiers"`
	Seats        []Seat     `json:"seats"`
	// Placed is true when the coordinates were made by usher because the source had none.
	Placed bool `json:"placed,omitempty"`
}

// Index returns the seat numbers' indexes by seat number.
func (l *SeatLayout) Index() map[string]int {
	m := make(map[string]int, len(l.Seats))
	for i := range l.Seats {
		m[l.Seats[i].No] = i
	}
	return m
}

// SeatState is what the hold store says of a seat, one byte per seat.
type SeatState byte

// The states of a seat as the hold store keeps them.
const (
	SeatFree    SeatState = '.'
	SeatHeld    SeatState = 'h'
	SeatSold    SeatState = 's'
	SeatBlocked SeatState = 'x'
)

// Word returns the state's name in the API.
func (s SeatState) Word() string {
	switch s {
	case SeatFree:
		return "free"
	case SeatHeld:
		return "held"
	case SeatSold:
		return "sold"
	case SeatBlocked:
		return "blocked"
	}
	return "unknown"
}
