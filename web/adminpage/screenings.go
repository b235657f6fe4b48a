package adminpage

import "usher/web/layout"

// ScreeningsPage lists screenings: GET /staff/screenings?date=&status=&after=.
type ScreeningsPage struct {
	layout.Page
	Date     string   // 2006-01-02 or empty
	Statuses []Option // all, draft, on_sale, paused, closed, cancelled
	Rows     []ScreeningRow
	NextURL  string
	Filtered bool // whether an empty list is the filter's doing
}

// Option is one choice of a filter.
type Option struct {
	Value    string
	Label    string
	Selected bool
}

// ScreeningRow is one screening of the list. Share is how full it is, 0 to 100.
type ScreeningRow struct {
	URL        string
	Title      string
	Date       string
	Time       string
	Zone       string
	Auditorium string
	Free       string
	Capacity   string
	Share      string
	Look       string // component.ScreeningWord
	Status     string
	Epoch      string
	HoldMode   string
}
