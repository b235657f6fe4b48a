package api

import (
	"context"
	"time"

	"usher/service"
)

// Overview shows staff the numbers of this box office. Roles are checked where it is routed.
type Overview struct{ Overview *service.Overview }

type overviewOutput struct{ Body overviewView }

// overviewView keeps the names of the contract. Retry tasks, compensations, discrepancies, the breaker and
// alerts have nothing behind them yet in this version: there are none, which is what they say.
type overviewView struct {
	Settlement    settlementView   `json:"settlement"`
	RetryTasks    int64            `json:"retry_tasks"`
	DeadLetters   int64            `json:"dead_letters"`
	EffectsDue    int64            `json:"effects_due"`
	OldestMS      map[string]int64 `json:"oldest_ms" doc:"Age of the oldest piece: retry_tasks, dead_letters, effects_due."`
	Compensations struct {
		Paused     bool  `json:"paused"`
		LastMinute int64 `json:"last_minute"`
	} `json:"compensations"`
	Discrepancies struct {
		Critical int64 `json:"critical"`
		High     int64 `json:"high"`
		Medium   int64 `json:"medium"`
		Low      int64 `json:"low"`
	} `json:"discrepancies"`
	Breaker string   `json:"breaker" enum:"closed,open,half_open"`
	Alerts  []string `json:"alerts" nullable:"false"`
	Stores  struct {
		Ledger    service.StoreState `json:"ledger" enum:"up,slow,down"`
		HoldStore service.StoreState `json:"hold_store" enum:"up,slow,down"`
	} `json:"stores"`
	Viewers int `json:"viewers" doc:"Live viewers of seat maps on this instance."`
}

type settlementView struct {
	InFlight int64   `json:"in_flight"`
	LagMS    int64   `json:"lag_ms" doc:"Age of the oldest hold that is not settled."`
	Rate     float64 `json:"rate" doc:"Holds per second that this instance settled over the last ten seconds."`
}

// View reads the gauges.
func (h *Overview) View(ctx context.Context, _ *empty) (*overviewOutput, error) {
	g, err := h.Overview.Now(ctx)
	if err != nil {
		return nil, err
	}
	v := overviewView{
		Settlement:  settlementView{InFlight: g.InFlight, LagMS: g.Lag.Milliseconds(), Rate: g.Rate},
		DeadLetters: g.DeadLetters, EffectsDue: g.EffectsDue, Viewers: g.Viewers, Breaker: "closed", Alerts: []string{},
		OldestMS: map[string]int64{"retry_tasks": 0, "dead_letters": ms(g.DeadLettersOldest), "effects_due": ms(g.EffectsOldest)},
	}
	v.Stores.Ledger, v.Stores.HoldStore = g.Ledger, g.HoldStore
	return &overviewOutput{Body: v}, nil
}

func ms(d time.Duration) int64 { return d.Milliseconds() }
