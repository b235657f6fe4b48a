package adminpage

import (
	"strconv"
	"time"

	"usher/web/i18n"
)

// Numbers is what the overview counts. Oldest ages are zero where nothing waits.
type Numbers struct {
	InFlight          int64
	LagMS             int64
	Rate              float64
	RetryTasks        int64
	RetryOldest       time.Duration
	DeadLetters       int64
	DeadLettersOldest time.Duration
	EffectsDue        int64
	EffectsOldest     time.Duration
}

// NewCounters builds the overview's counters. A number that has no list of its own has no link.
func NewCounters(l *i18n.Localizer, n Numbers) []Counter {
	count := func(v int64) string { return strconv.FormatInt(v, 10) }
	oldest := func(v int64, d time.Duration) string {
		if v == 0 {
			return ""
		}
		return l.T("overview.oldest", "Age", l.Age(d))
	}
	return []Counter{
		{Label: l.T("overview.in_flight"), Value: count(n.InFlight), Path: "settlement.in_flight", Look: "calm"},
		{Label: l.T("overview.lag"), Value: count(n.LagMS), Unit: "ms", Path: "settlement.lag_ms", Look: lookIf(n.LagMS > 5000, "busy")},
		{Label: l.T("overview.rate"), Value: strconv.FormatFloat(n.Rate, 'f', 1, 64), Unit: "/s", Path: "settlement.rate", Look: "calm"},
		{Label: l.T("overview.retry_tasks"), Value: count(n.RetryTasks), Path: "retry_tasks", Age: oldest(n.RetryTasks, n.RetryOldest), AgePath: "oldest_ms.retry_tasks", Look: lookIf(n.RetryTasks > 0, "busy")},
		{Label: l.T("overview.dead_letters"), Value: count(n.DeadLetters), Path: "dead_letters", Age: oldest(n.DeadLetters, n.DeadLettersOldest), AgePath: "oldest_ms.dead_letters", Look: lookIf(n.DeadLetters > 0, "bad")},
		{Label: l.T("overview.effects_due"), Value: count(n.EffectsDue), Path: "effects_due", Age: oldest(n.EffectsDue, n.EffectsOldest), AgePath: "oldest_ms.effects_due", Look: lookIf(n.EffectsDue > 0, "busy")},
	}
}

func lookIf(raised bool, look string) string {
	if raised {
		return look
	}
	return "calm"
}
