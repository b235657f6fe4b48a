package admin

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service/domain"
	"usher/web/adminpage"
	"usher/web/component"
	"usher/web/i18n"
)

// Show shows one screening with its room and who has which seat.
func (h *Screenings) Show(c *gin.Context) { h.render(c, http.StatusOK, nil) }

func (h *Screenings) render(c *gin.Context, status int, alert *component.Alert) {
	ctx := c.Request.Context()
	listed, err := h.catalog.Screening(ctx, c.Param("id"))
	if err != nil {
		response.Error(c, err)
		return
	}
	view, err := h.feed.View(ctx, listed.Screening.ID, "")
	if err != nil {
		response.Error(c, err)
		return
	}
	orders, err := h.owners(ctx, listed.Screening.ID)
	if err != nil {
		response.Error(c, err)
		return
	}

	vm, err := h.page(c, room{listed: listed, view: view, orders: orders})
	if err != nil {
		response.Error(c, err)
		return
	}
	vm.Alert = alert
	response.Page(c, status, adminpage.Screening(vm))
}

// SetStatus opens, pauses or ends the sale.
func (h *Screenings) SetStatus(c *gin.Context) {
	id, to := c.Param("id"), domain.ScreeningStatus(request.Form(c, "status"))
	act, known := actionTo(to)
	if !known {
		response.Error(c, domain.ErrInvalid.With("status", "There is no such status to set."))
		return
	}
	if !h.may(c, act) {
		return
	}

	err := h.sale.SetStatus(c.Request.Context(), id, to)

	h.done(c, id, err, frame.FlashStatusChanged)
}

// Rebuild makes the screening's hold-store data anew.
func (h *Screenings) Rebuild(c *gin.Context) {
	id := c.Param("id")
	if !h.may(c, rebuild) {
		return
	}

	err := h.rebuild.Force(c.Request.Context(), id)

	h.done(c, id, err, frame.FlashRebuilt)
}

// may checks the role; false when the refusal is written.
func (h *Screenings) may(c *gin.Context, a action) bool {
	frame.Here(c, screeningURL(c.Param("id")))
	if _, err := request.Staff(c.Request.Context(), a.needs()); err != nil {
		response.Error(c, err)
		return false
	}
	return true
}

// done leads back to the screening with a message, or shows it as it is now with the reason why nothing changed.
func (h *Screenings) done(c *gin.Context, id string, err error, flash frame.Flash) {
	switch domain.KindOf(err) {
	case domain.KindConflict:
		p := response.Prepare(c, err)
		h.render(c, p.Status, &component.Alert{Kind: "warning", Text: h.frame.Words(c).T("error.conflict.title")})
	default:
		if err != nil {
			response.Error(c, err)
			return
		}
		h.frame.RedirectWith(c, screeningURL(id), flash)
	}
}

// statusActions are the buttons of a role. What the sale would refuse is left out; the status of now stays, and
// cannot be pressed.
func statusActions(l *i18n.Localizer, role domain.Role, now domain.ScreeningStatus) []adminpage.StatusAction {
	var out []adminpage.StatusAction
	for _, to := range []domain.ScreeningStatus{domain.ScreeningOnSale, domain.ScreeningPaused, domain.ScreeningClosed} {
		act, _ := actionTo(to)
		if !act.allowed(role) || !offered(now, to) {
			continue
		}
		a := adminpage.StatusAction{Value: string(to), Label: l.T("screening.action." + string(to))}
		if to == now {
			a.Why = l.T("screening.action.already")
		}
		out = append(out, a)
	}
	return out
}

func offered(now, to domain.ScreeningStatus) bool {
	switch now {
	case domain.ScreeningOnSale, domain.ScreeningPaused:
		return true
	case domain.ScreeningDraft, domain.ScreeningClosed:
		return to == domain.ScreeningOnSale || to == now
	case domain.ScreeningCancelled:
	}
	return false
}
