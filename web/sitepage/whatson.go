package sitepage

import "usher/web/layout"

// WhatsOnPage is the programme of one day: GET / (?date=2006-01-02).
type WhatsOnPage struct {
	layout.Page
	DayTitle string // Friday, 6 June
	Days     []DayTab
	Movies   []MovieCard
}

// DayTab leads to the programme of a day.
type DayTab struct {
	URL     string
	Name    string // Today, Tomorrow, Fri
	Date    string // 6 June
	Current bool
}

// MovieCard is a movie with its times.
type MovieCard struct {
	URL      string
	Title    string
	Meta     string // 1927 · 153 min
	Synopsis string
	Poster   string // component.PosterURL
	Times    []TimeButton
}

// TimeButton leads to the seats of one screening. Look and Words come from component.Availability; Look may also
// be closed. A button without URL cannot be pressed.
type TimeButton struct {
	URL        string
	Time       string
	DateTime   string // RFC 3339
	Auditorium string
	Words      string
	Look       string // open, few, sold_out, closed
}
