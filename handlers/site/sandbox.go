package site

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/component"
	"usher/web/sitepage"
)

// Sandbox is the pay page of the built-in gateway.
type Sandbox struct {
	frame    *frame.Frame
	orders   *Orders
	payments *service.Payments
	player   SandboxPlayer
}

func sandboxURL(paymentID string) string { return "/pay/sandbox/" + paymentID }

// Show shows the payment to its buyer.
func (h *Sandbox) Show(c *gin.Context) {
	session, ok := frame.Personal(c, sandboxURL(c.Param("id")))
	if !ok {
		return
	}

	payment, order, err := h.payments.Own(c.Request.Context(), c.Param("id"), session.UserID)
	if err != nil {
		response.Error(c, err)
		return
	}

	h.render(c, http.StatusOK, payment, order, nil)
}

// Play does what the person chose, and leads back to the order, which tells what became of it.
func (h *Sandbox) Play(c *gin.Context) {
	frame.Here(c, sandboxURL(c.Param("id")))
	session, ok := frame.Personal(c, sandboxURL(c.Param("id")))
	if !ok {
		return
	}
	ctx, outcome := c.Request.Context(), request.Form(c, "outcome")
	payment, order, err := h.payments.Own(ctx, c.Param("id"), session.UserID)
	if err != nil {
		response.Error(c, err)
		return
	}
	if payment.Status != domain.PaymentOpen { // decided in another tab
		response.Redirect(c, orderURL(order.ID))
		return
	}

	err = h.player.Play(ctx, payment, order, outcome)
	if errors.Is(err, domain.ErrInvalid) {
		p := response.Prepare(c, err)
		h.render(c, p.Status, payment, order, &component.Alert{Kind: "error", Text: component.ErrorText(h.frame.Words(c), err)})
		return
	}
	if err != nil {
		response.Error(c, err)
		return
	}

	if outcome == "decline" {
		h.frame.RedirectWith(c, orderURL(order.ID), frame.FlashDeclined)
		return
	}
	response.Redirect(c, orderURL(order.ID))
}

func (h *Sandbox) render(c *gin.Context, status int, payment *domain.Payment, order *domain.Order, alert *component.Alert) {
	l := h.frame.Words(c)
	d, err := h.orders.details(c.Request.Context(), l, order)
	if err != nil {
		response.Error(c, err)
		return
	}
	vm := sitepage.SandboxPayPage{
		Page: h.frame.Page(c), PaymentID: payment.ID, Amount: l.Money(payment.AmountMinor, payment.Currency), Payee: d.head.Cinema,
		OrderURL: orderURL(order.ID), Alert: alert,
	}
	switch payment.Status {
	case domain.PaymentOpen:
	case domain.PaymentDeclined:
		vm.Done = l.T("sandbox.done.decline")
	default:
		vm.Done = l.T("sandbox.done.approve")
	}
	response.Page(c, status, sitepage.SandboxPay(vm))
}
