package admin

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/web/adminpage"
	"usher/web/i18n"
)

// Overview is the staff's home.
type Overview struct {
	frame    *frame.Frame
	overview *service.Overview
	stores   StoreNotes
}

// Show shows what the box office owes and whether its stores answer.
func (h *Overview) Show(c *gin.Context) {
	gauges, err := h.overview.Now(c.Request.Context())
	if err != nil {
		response.Error(c, err)
		return
	}

	l, zone := h.frame.Words(c), h.frame.Zone(c.Request.Context())
	response.Page(c, http.StatusOK, adminpage.Overview(adminpage.OverviewPage{
		Page: h.frame.Page(c),
		Counters: adminpage.NewCounters(l, adminpage.Numbers{
			InFlight: gauges.InFlight, LagMS: gauges.Lag.Milliseconds(), Rate: gauges.Rate, DeadLetters: gauges.DeadLetters,
			DeadLettersOldest: gauges.DeadLettersOldest, EffectsDue: gauges.EffectsDue, EffectsOldest: gauges.EffectsOldest,
		}),
		Stores: []adminpage.StoreState{
			storeState(l, l.T("store.ledger"), h.stores.Ledger, "stores.ledger", gauges.Ledger),
			storeState(l, l.T("store.hold_store"), h.stores.HoldStore, "stores.hold_store", gauges.HoldStore),
		},
		UpdatedAt: l.TimeZoned(h.frame.Now(), zone),
		AllWell:   gauges.DeadLetters == 0 && gauges.Ledger == service.StoreUp && gauges.HoldStore == service.StoreUp,
	}))
}

func storeState(l *i18n.Localizer, name, note, path string, state service.StoreState) adminpage.StoreState {
	s := adminpage.StoreState{Name: name, Note: note, Path: path}
	if note == InProcess {
		s.Note = l.T("store.in_process")
	}
	switch state {
	case service.StoreUp:
		s.Word, s.Look = l.T("store.up"), "ok"
	case service.StoreSlow:
		s.Word, s.Look = l.T("store.slow"), "busy"
	case service.StoreDown:
		s.Word, s.Look = l.T("store.down"), "bad"
	}
	return s
}
