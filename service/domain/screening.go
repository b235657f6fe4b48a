package domain

import "time"

// Cinema is a house with its zone and currency.
type Cinema struct {
	ID       string
	Name     string
	Zone     string // IANA name, for example Europe/Berlin
	Currency string // ISO 4217
}

// Auditorium is a room of a cinema.
type Auditorium struct {
	ID       string
	CinemaID string
	Name     string
}

// Movie is a film on the programme. Poster is the name of a drawing that the pages know, or empty.
type Movie struct {
	ID             string
	Title          string
	TitleZH        string
	Year           int
	RuntimeMinutes int
	Synopsis       string
	SynopsisZH     string
	Poster         string
}

// ScreeningKind says whether seats are chosen or places are counted.
type ScreeningKind string

// The kinds of a screening.
const (
	KindSeated  ScreeningKind = "seated"
	KindGeneral ScreeningKind = "general"
)

// ScreeningStatus is set by staff and decides whether holds are taken.
type ScreeningStatus string

// The states of a screening.
const (
	ScreeningDraft     ScreeningStatus = "draft"
	ScreeningOnSale    ScreeningStatus = "on_sale"
	ScreeningPaused    ScreeningStatus = "paused"
	ScreeningClosed    ScreeningStatus = "closed"
	ScreeningCancelled ScreeningStatus = "cancelled"
)

// HoldMode says which store decides seats.
type HoldMode string

// The hold modes.
const (
	HoldModeRedis  HoldMode = "redis"
	HoldModeLedger HoldMode = "ledger"
)

// Screening is one performance of a movie in an auditorium at an instant.
type Screening struct {
	ID           string
	MovieID      string
	AuditoriumID string
	CinemaID     string
	LayoutID     string // empty for general admission
	Partition    int    // 0..15, fixed at creation
	Epoch        int64
	HoldMode     HoldMode
	Settings     int64 // raised with every change of status, window, limit or hold life
	Status       ScreeningStatus
	Kind         ScreeningKind
	StartsAt     time.Time
	EndsAt       time.Time
	OpensAt      time.Time // sale window
	ClosesAt     time.Time
	HoldLife     time.Duration
	Limit        int // seats per user; 0 = no limit
	OrphanRule   bool
	Capacity     int
	Remaining    int
	Version      int64
	Currency     string
	Prices       map[string]int64 // tier -> minor units
	CreatedAt    time.Time
}

// OnSale reports whether holds may be taken at the instant now.
func (s *Screening) OnSale(now time.Time) bool {
	return s.Status == ScreeningOnSale && !now.Before(s.OpensAt) && now.Before(s.ClosesAt)
}

// MaxSeatsPerHold bounds one request when the screening sets no lower limit.
const MaxSeatsPerHold = 20

// GeneralTier is the price tier of general admission.
const GeneralTier = "general"

// ScreeningFilter narrows a list of screenings. Zero fields do not narrow.
type ScreeningFilter struct {
	From, To time.Time // StartsAt in [From, To)
	MovieID  string
	Statuses []ScreeningStatus
}
