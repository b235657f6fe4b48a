package site

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/sitepage"
)

// ordersShown is the length of a page of the list.
const ordersShown = 20

// List shows the visitor's orders, newest first: what is still to come, then what is over.
func (h *Orders) List(c *gin.Context) {
	session, ok := frame.Personal(c, "/orders")
	if !ok {
		return
	}
	page, err := request.Page(c)
	if err != nil {
		response.Error(c, err)
		return
	}
	page.Limit = min(page.Limit, ordersShown)

	list, err := h.orders.List(c.Request.Context(), session.UserID, page)
	if err != nil {
		response.Error(c, err)
		return
	}

	vm := sitepage.MyOrdersPage{Page: h.frame.Page(c)}
	for i := range list.Items {
		row, over, err := h.row(c.Request.Context(), h.frame.Words(c), &list.Items[i])
		if err != nil {
			response.Error(c, err)
			return
		}
		if over {
			vm.Past = append(vm.Past, row)
		} else {
			vm.Upcoming = append(vm.Upcoming, row)
		}
	}
	if list.Next != "" {
		vm.NextURL = "/orders?cursor=" + url.QueryEscape(list.Next)
	}
	response.Page(c, http.StatusOK, sitepage.MyOrders(vm))
}

// row is one order of the list; over says that nothing more will come of it.
func (h *Orders) row(ctx context.Context, l *i18n.Localizer, o *domain.Order) (row sitepage.OrderRow, over bool, err error) {
	d, err := h.details(ctx, l, o)
	if err != nil {
		return row, false, err
	}
	row = sitepage.OrderRow{
		URL: orderURL(o.ID), Title: d.head.Title, When: l.DateTime(d.listed.Screening.StartsAt, d.zone), Where: d.head.Auditorium,
		Seats: l.List(d.seats), Total: l.Money(o.AmountMinor, o.Currency), Poster: d.head.Poster,
	}
	row.Look, row.Word = component.OrderWord(l, o.Status)
	over = !o.Status.Live() && o.Status != domain.OrderRefunding || !h.frame.Now().Before(d.listed.Screening.EndsAt)
	return row, over, nil
}
