package site

import (
	"context"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"usher/service"
	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/sitepage"
)

func orderURL(id string) string { return "/orders/" + id }

// view builds the page of one order in whatever state it is.
func (h *Orders) view(c *gin.Context, o *domain.Order) (sitepage.OrderPage, error) {
	d, err := h.details(c.Request.Context(), h.frame.Words(c), o)
	if err != nil {
		return sitepage.OrderPage{}, err
	}
	l, now, zone := h.frame.Words(c), h.frame.Now(), d.zone
	vm := sitepage.OrderPage{
		Page: h.frame.Page(c), ID: o.ID, Status: o.Status, Version: strconv.FormatInt(o.Version, 10), Screening: d.head, Lines: d.lines,
		SeatNames: d.seats, Total: l.Money(o.AmountMinor, o.Currency),
	}
	switch o.Status {
	case domain.OrderReserved:
		vm.HeldUntil, vm.Countdown = l.TimeZoned(o.ExpiresAt, zone), component.NewCountdown(l, now, o.ExpiresAt, zone)
		vm.CanPay, vm.CanCancel = now.Before(o.ExpiresAt), true
	case domain.OrderPaying:
		vm.HeldUntil = l.TimeZoned(o.ExpiresAt, zone)
		if now.Before(o.ExpiresAt) { // the form leads to the payment that is open
			vm.PayURL = orderURL(o.ID) + "/checkout"
		}
	case domain.OrderPaid:
		vm.BookingGroups, vm.QRURL = component.BookingGroups(o.BookingCode), orderURL(o.ID)+"/qr.svg"
		if vm.CanRefund = refundable(&d.listed.Screening, now); vm.CanRefund {
			vm.RefundAmount = vm.Total
			vm.RefundRule = l.T("order.refund_rule", "Time", l.DateTime(d.listed.Screening.StartsAt, zone))
		}
	case domain.OrderFailed, domain.OrderExpired, domain.OrderCancelled, domain.OrderRefunding, domain.OrderRefunded:
		vm.Reason = component.ReasonText(l, o.Reason)
	case domain.OrderNone, domain.OrderConfirming:
	}
	return vm, nil
}

// refundable mirrors the rule of the refund, so that the page does not offer what would be refused.
func refundable(sc *domain.Screening, now time.Time) bool {
	return now.Before(sc.StartsAt) || sc.Status == domain.ScreeningCancelled
}

// details is what pages print of an order beside its state.
type details struct {
	listed *service.Listed
	head   component.ScreeningHead
	zone   *time.Location
	lines  []component.SeatLine
	seats  []string
}

func (h *Orders) details(ctx context.Context, l *i18n.Localizer, o *domain.Order) (details, error) {
	listed, err := h.catalog.Screening(ctx, o.ScreeningID)
	if err != nil {
		return details{}, err
	}
	around, err := h.frame.Around(ctx, &listed.Screening)
	if err != nil {
		return details{}, err
	}
	d := details{listed: listed, head: around.Head(l, &listed.Screening), zone: around.Cinema.Location}
	var layout *domain.SeatLayout
	if listed.Room != nil {
		layout = listed.Room.Layout
	}
	d.lines = component.SeatLines(l, layout, o)
	for _, line := range d.lines {
		d.seats = append(d.seats, line.Seat)
	}
	return d, nil
}
