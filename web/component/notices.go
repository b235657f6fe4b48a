package component

import (
	"errors"
	"time"

	"usher/service/domain"
	"usher/web/i18n"
)

// FreeLine says how many seats are free.
func FreeLine(l *i18n.Localizer, free int) string { return l.T("seatmap.free_line", "Count", free) }

// HoldWords says how long seats stay held once they are taken.
func HoldWords(l *i18n.Localizer, life time.Duration) string {
	return l.T("seatmap.hold_words", "Count", int(life/time.Minute))
}

// MovieMeta is the small line below a movie's title.
func MovieMeta(l *i18n.Localizer, movie *domain.Movie) string {
	return l.T("movie.meta", "Year", movie.Year, "Minutes", movie.RuntimeMinutes)
}

// MovieTexts returns title and synopsis in the page's language, and the title in the other one when it differs.
func MovieTexts(l *i18n.Localizer, movie *domain.Movie) (title, synopsis, other string) {
	title, synopsis, other = movie.Title, movie.Synopsis, movie.TitleZH
	if l.Lang() == i18n.Chinese && movie.TitleZH != "" {
		title, other = movie.TitleZH, movie.Title
	}
	if l.Lang() == i18n.Chinese && movie.SynopsisZH != "" {
		synopsis = movie.SynopsisZH
	}
	if other == title {
		other = ""
	}
	return title, synopsis, other
}

// SaleNotice says why a screening is not on sale at the instant now, empty when it is.
func SaleNotice(l *i18n.Localizer, s *domain.Screening, now time.Time, zone *time.Location) string {
	switch {
	case s.OnSale(now):
		return ""
	case s.Status == domain.ScreeningOnSale && now.Before(s.OpensAt):
		return l.T("screening.not_on_sale.early", "Time", l.DateTime(s.OpensAt, zone))
	case s.Status == domain.ScreeningDraft:
		return l.T("screening.not_on_sale.draft")
	case s.Status == domain.ScreeningPaused:
		return l.T("screening.not_on_sale.paused")
	case s.Status == domain.ScreeningCancelled:
		return l.T("screening.not_on_sale.cancelled")
	}
	return l.T("screening.not_on_sale.closed")
}

// ErrorText says a domain error in the page's language, its own safe message when there is no translation.
func ErrorText(l *i18n.Localizer, err error) string {
	var e *domain.Error
	if !errors.As(err, &e) {
		return l.T("error.internal.text")
	}
	return l.Or("error.code."+e.Code, e.Message)
}
