package site

import (
	"crypto/rand"
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

// Checkout asks who gets the tickets and leads to the payment.
type Checkout struct {
	frame    *frame.Frame
	orders   *Orders
	checkout *service.Checkout
}

func checkoutURL(orderID string) string { return orderURL(orderID) + "/checkout" }

// Show shows the form while the order can be paid. Before that and after that the order's own page tells more.
func (h *Checkout) Show(c *gin.Context) {
	id := c.Param("id")
	session, ok := frame.Personal(c, checkoutURL(id))
	if !ok {
		return
	}

	order, err := h.orders.orders.View(c.Request.Context(), id, session.UserID, "")
	if err != nil {
		response.Error(c, err)
		return
	}

	switch order.Status {
	case domain.OrderReserved, domain.OrderPaying:
		if !h.frame.Now().Before(order.ExpiresAt) {
			h.orders.ended(c, order, domain.ErrExpired)
			return
		}
		h.form(c, http.StatusOK, order, buyer{email: order.Email, name: order.Name})
	case domain.OrderExpired, domain.OrderCancelled, domain.OrderFailed:
		h.orders.ended(c, order, domain.ErrExpired)
	default:
		response.Redirect(c, orderURL(order.ID))
	}
}

// Start begins to pay and leads to the gateway.
func (h *Checkout) Start(c *gin.Context) {
	id := c.Param("id")
	frame.Here(c, checkoutURL(id))
	session, ok := frame.Personal(c, checkoutURL(id))
	if !ok {
		return
	}
	who := buyer{email: request.Form(c, "email"), name: request.Form(c, "name")}

	start, err := h.checkout.Start(c.Request.Context(), service.CheckoutRequest{OrderID: id, UserID: session.UserID, Email: who.email, Name: who.name})
	switch {
	case errors.Is(err, domain.ErrInvalid):
		h.again(c, session.UserID, who, err)
		return
	case err != nil:
		h.orders.refuse(c, id, session.UserID, err)
		return
	}

	if start.Paid {
		response.Redirect(c, orderURL(id))
		return
	}
	response.Redirect(c, start.PayURL)
}

// buyer is what was typed, and what is wrong with it.
type buyer struct {
	email, name           string
	emailError, nameError string
}

// again shows the form with what was typed and what is wrong with it.
func (h *Checkout) again(c *gin.Context, userID string, who buyer, cause error) {
	order, err := h.orders.orders.View(c.Request.Context(), c.Param("id"), userID, "")
	if err != nil {
		response.Error(c, err)
		return
	}
	p := response.Prepare(c, cause)
	say := frame.FieldErrors(h.frame.Words(c), cause)
	who.emailError, who.nameError = say("email"), say("name")
	h.form(c, p.Status, order, who)
}

func (h *Checkout) form(c *gin.Context, status int, order *domain.Order, who buyer) {
	l, now := h.frame.Words(c), h.frame.Now()
	d, err := h.orders.details(c.Request.Context(), l, order)
	if err != nil {
		response.Error(c, err)
		return
	}
	response.Page(c, status, sitepage.Checkout(sitepage.CheckoutPage{
		Page: h.frame.Page(c), OrderID: order.ID, Screening: d.head, Lines: d.lines, Total: l.Money(order.AmountMinor, order.Currency),
		HeldUntil: l.TimeZoned(order.ExpiresAt, d.zone), Countdown: component.NewCountdown(l, now, order.ExpiresAt, d.zone),
		Email: who.email, Name: who.name, EmailError: who.emailError, NameError: who.nameError, IdempotencyKey: rand.Text(),
	}))
}
