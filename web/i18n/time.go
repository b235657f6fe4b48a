package i18n

import (
	"fmt"
	"time"
)

// Time formats the time of day of an instant in a zone, on the 24-hour clock.
func (l *Localizer) Time(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("15:04")
}

// TimeZoned formats the time of day with the zone's short name.
func (l *Localizer) TimeZoned(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("15:04") + " " + t.In(zone).Format("MST")
}

// Weekday returns the short name of the weekday.
func (l *Localizer) Weekday(t time.Time, zone *time.Location) string {
	return l.T("weekday.short." + weekdayKeys[t.In(zone).Weekday()])
}

// ShortDate formats day and month.
func (l *Localizer) ShortDate(t time.Time, zone *time.Location) string {
	local := t.In(zone)
	return l.T("date.short", "Day", local.Day(), "Month", l.T(fmt.Sprintf("month.%d", int(local.Month()))))
}

// Date formats weekday, day and month.
func (l *Localizer) Date(t time.Time, zone *time.Location) string {
	local := t.In(zone)
	return l.T("date.long",
		"Weekday", l.T("weekday.long."+weekdayKeys[local.Weekday()]),
		"Day", local.Day(),
		"Month", l.T(fmt.Sprintf("month.%d", int(local.Month()))),
	)
}

// DateTime formats date and time of day.
func (l *Localizer) DateTime(t time.Time, zone *time.Location) string {
	return l.T("date.time", "Date", l.Date(t, zone), "Time", l.Time(t, zone))
}

// Day returns today, tomorrow or the date, as seen at the instant now.
func (l *Localizer) Day(t, now time.Time, zone *time.Location) string {
	switch day := t.In(zone).Format(time.DateOnly); day {
	case now.In(zone).Format(time.DateOnly):
		return l.T("date.today")
	case now.In(zone).AddDate(0, 0, 1).Format(time.DateOnly):
		return l.T("date.tomorrow")
	}
	return l.Date(t, zone)
}

// DayTab returns the two lines of a day tab: today, tomorrow or the weekday, and the date.
func (l *Localizer) DayTab(t, now time.Time, zone *time.Location) (name, date string) {
	switch day := t.In(zone).Format(time.DateOnly); day {
	case now.In(zone).Format(time.DateOnly):
		name = l.T("date.today")
	case now.In(zone).AddDate(0, 0, 1).Format(time.DateOnly):
		name = l.T("date.tomorrow")
	default:
		name = l.Weekday(t, zone)
	}
	return name, l.ShortDate(t, zone)
}

// Age says how long ago something was, in its largest unit.
func (l *Localizer) Age(d time.Duration) string {
	switch {
	case d < 0:
		return l.T("age.seconds", "Count", 0)
	case d < time.Minute:
		return l.T("age.seconds", "Count", int(d/time.Second))
	case d < time.Hour:
		return l.T("age.minutes", "Count", int(d/time.Minute))
	case d < 48*time.Hour:
		return l.T("age.hours", "Count", int(d/time.Hour))
	}
	return l.T("age.days", "Count", int(d/(24*time.Hour)))
}

var weekdayKeys = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
