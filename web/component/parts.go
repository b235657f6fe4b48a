package component

import (
	"strconv"
	"time"

	"usher/service/domain"
	"usher/web/i18n"
)

// ScreeningHead is the head of every page about one screening.
type ScreeningHead struct {
	ID         string
	Title      string
	URL        string // the seat page
	MovieURL   string
	Poster     string // from PosterURL
	Date       string // Friday, 6 June
	Time       string // 19:30
	Zone       string // CEST; printed beside the time
	DateTime   string // RFC 3339, for the time element
	Auditorium string
	Cinema     string
	Meta       string // 1927 · 153 min
}

// SeatLine is one seat (or one group of places) of an order.
type SeatLine struct {
	Seat  string
	Tier  string
	Price string
}

// Countdown carries two instants of the server's clock in milliseconds since 1970. Text is what is shown without
// a script: until which clock time.
type Countdown struct {
	NowMS   string
	UntilMS string
	Text    string
	ThenURL string // where a script leads when the time is up, empty to stay
}

// NewCountdown builds the countdown to until as seen at now.
func NewCountdown(l *i18n.Localizer, now, until time.Time, zone *time.Location) Countdown {
	return Countdown{
		NowMS: strconv.FormatInt(now.UnixMilli(), 10), UntilMS: strconv.FormatInt(until.UnixMilli(), 10),
		Text: l.T("countdown.until", "Time", l.TimeZoned(until, zone)),
	}
}

// Alert is a message at the top of a page or form. Kind is info, success, warning or error.
type Alert struct {
	Kind  string
	Title string
	Text  string
	Items []string
}

// SeatsGone is the alert of a seat page whose chosen seats were taken meanwhile; names come from SeatName.
func SeatsGone(l *i18n.Localizer, names []string) *Alert {
	return &Alert{
		Kind: "warning", Title: l.T("seatmap.gone.title", "Count", len(names)),
		Text: l.T("seatmap.gone.text"), Items: names,
	}
}

// SeatLines lists an order's seats by the names of its layout, or as one line when places are counted.
func SeatLines(l *i18n.Localizer, layout *domain.SeatLayout, order *domain.Order) []SeatLine {
	if len(order.Seats) == 0 || layout == nil {
		return []SeatLine{{
			Seat: l.T("seat.places", "Count", order.Quantity), Tier: l.Tier(domain.GeneralTier),
			Price: l.Money(order.AmountMinor, order.Currency),
		}}
	}
	index := layout.Index()
	out := make([]SeatLine, 0, len(order.Seats))
	for _, ref := range order.Seats {
		name := ref.No
		if i, ok := index[ref.No]; ok {
			name = SeatName(l, &layout.Seats[i])
		}
		out = append(out, SeatLine{Seat: name, Tier: l.Tier(ref.Tier), Price: l.Money(ref.PriceMinor, order.Currency)})
	}
	return out
}

// Field is one line of a form. Error is empty when the value is fine.
type Field struct {
	Name         string
	Label        string
	Type         string
	Value        string
	Autocomplete string
	Hint         string
	Error        string
	Required     bool
}

func noticeRole(kind string) string {
	if kind == "error" || kind == "warning" {
		return "alert"
	}
	return "status"
}
