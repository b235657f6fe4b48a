package site

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/component"
	"usher/web/sitepage"
)

// Orders shows people what became of their holds.
type Orders struct {
	frame   *frame.Frame
	orders  *service.Orders
	catalog *service.Catalog
	cancel  *service.Cancel
	tickets *service.Tickets
}

// Show tells the honest state of an order. Other people's orders do not exist.
func (h *Orders) Show(c *gin.Context) {
	id := c.Param("id")
	session, ok := frame.Personal(c, orderURL(id))
	if !ok {
		return
	}

	order, err := h.orders.View(c.Request.Context(), id, session.UserID, receiptOf(c))
	if err != nil {
		response.Error(c, err)
		return
	}
	if order.ID != id { // a second copy shows the one that counts
		response.Redirect(c, orderURL(order.ID))
		return
	}

	h.render(c, http.StatusOK, order, nil)
}

// receiptOf returns the receipt that the browser keeps for this order's page.
func receiptOf(c *gin.Context) string {
	cookie, err := c.Request.Cookie(receiptCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (h *Orders) render(c *gin.Context, status int, order *domain.Order, alert *component.Alert) {
	vm, err := h.view(c, order)
	if err != nil {
		response.Error(c, err)
		return
	}
	vm.Alert = alert
	response.Page(c, status, sitepage.Order(vm))
}

// QR draws the code of a paid order's ticket.
func (h *Orders) QR(c *gin.Context) {
	id := c.Param("id")
	session, ok := frame.Personal(c, orderURL(id))
	if !ok {
		return
	}

	order, err := h.orders.View(c.Request.Context(), id, session.UserID, "")
	if err != nil {
		response.Error(c, err)
		return
	}

	code, err := h.tickets.Code(order)
	if err != nil {
		response.Error(c, err)
		return
	}
	svg, err := h.tickets.QRSVG(code)
	if err != nil {
		response.Error(c, err)
		return
	}
	c.Header("Cache-Control", "no-store")
	c.Data(http.StatusOK, "image/svg+xml", []byte(svg))
}

// Cancel gives the seats of an unpaid order back.
func (h *Orders) Cancel(c *gin.Context) { h.act(c, h.cancel.Cancel, frame.FlashCancelled) }

// Refund gives a paid order back.
func (h *Orders) Refund(c *gin.Context) { h.act(c, h.cancel.Refund, frame.FlashRefunding) }

func (h *Orders) act(c *gin.Context, do func(ctx context.Context, orderID, userID string) error, done frame.Flash) {
	id := c.Param("id")
	frame.Here(c, orderURL(id))
	session, ok := frame.Personal(c, orderURL(id))
	if !ok {
		return
	}

	if err := do(c.Request.Context(), id, session.UserID); err != nil {
		h.refuse(c, id, session.UserID, err)
		return
	}

	h.frame.RedirectWith(c, orderURL(id), done)
}

// refuse answers a form about an order that has moved on: with its page as it is now and the reason on top.
func (h *Orders) refuse(c *gin.Context, id, userID string, err error) {
	if kind := domain.KindOf(err); kind != domain.KindConflict && kind != domain.KindGone {
		response.Error(c, err)
		return
	}
	order, viewErr := h.orders.View(c.Request.Context(), id, userID, receiptOf(c))
	if viewErr != nil {
		response.Error(c, viewErr)
		return
	}
	if errors.Is(err, domain.ErrExpired) {
		h.ended(c, order, err)
		return
	}
	p := response.Prepare(c, err)
	h.render(c, p.Status, order, &component.Alert{Kind: "warning", Text: component.ErrorText(h.frame.Words(c), err)})
}

// ended shows an order whose time is up, with the way back to its screening. The expiry job says the same a
// moment later; the page does not wait for it.
func (h *Orders) ended(c *gin.Context, order *domain.Order, err error) {
	p := response.Prepare(c, err)
	if order.Status == domain.OrderReserved || order.Status == domain.OrderPaying {
		now := *order
		now.Status, now.Reason = domain.OrderExpired, domain.ReasonTimeUp
		order = &now
	}
	h.render(c, p.Status, order, nil)
}
