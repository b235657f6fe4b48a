package webtest

import (
	"time"

	"github.com/a-h/templ"

	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/sitepage"
)

const orderID = "0190c0de-7a11-7000-8000-00000000000c"

func checkout(l *i18n.Localizer, w Words) templ.Component {
	until := Now().Add(8 * time.Minute)
	return sitepage.Checkout(sitepage.CheckoutPage{
		Page: Page(l, w, "/orders/"+orderID+"/checkout"), OrderID: orderID, Screening: Head(l, w), Lines: Lines(l, w),
		Total: l.Money(2900, "EUR"), HeldUntil: l.TimeZoned(until, Zone()),
		Countdown: component.NewCountdown(l, Now(), until, Zone()), Email: w.Email, Name: w.Name,
		EmailError: l.T("field.email"), IdempotencyKey: "k-3",
	})
}

func sandboxPay(l *i18n.Localizer, w Words, done string) templ.Component {
	return sitepage.SandboxPay(sitepage.SandboxPayPage{
		Page: Page(l, w, "/pay/sandbox/p1"), PaymentID: "p1", Amount: l.Money(2900, "EUR"), Payee: w.Cinema,
		OrderURL: "/orders/" + orderID, Done: done,
	})
}

// Order is the view model of one order in the given state.
func Order(l *i18n.Localizer, w Words, status domain.OrderStatus) sitepage.OrderPage {
	until := Now().Add(8 * time.Minute)
	vm := sitepage.OrderPage{
		Page: Page(l, w, "/orders/"+orderID), ID: orderID, Status: status, Version: "3", Screening: Head(l, w),
		Lines: Lines(l, w), Total: l.Money(2900, "EUR"),
	}
	for _, line := range vm.Lines {
		vm.SeatNames = append(vm.SeatNames, line.Seat)
	}
	switch status {
	case domain.OrderReserved:
		vm.HeldUntil, vm.CanPay, vm.CanCancel = l.TimeZoned(until, Zone()), true, true
		vm.Countdown = component.NewCountdown(l, Now(), until, Zone())
	case domain.OrderPaying:
		vm.PayURL = "/pay/sandbox/p1"
	case domain.OrderPaid:
		vm.BookingGroups, vm.QRURL, vm.Email = component.BookingGroups("7KQ2M9XD4T"), "/orders/"+orderID+"/qr.svg", w.Email
		vm.CanRefund, vm.RefundAmount = true, l.Money(2900, "EUR")
		vm.RefundRule = l.T("order.refund_rule", "Time", l.DateTime(until, Zone()))
	case domain.OrderFailed:
		vm.Reason = component.ReasonText(l, domain.ReasonSeatConflict)
	case domain.OrderExpired:
		vm.Reason = component.ReasonText(l, domain.ReasonTimeUp)
	case domain.OrderCancelled:
		vm.Reason = component.ReasonText(l, domain.ReasonByBuyer)
	case domain.OrderRefunding:
		vm.Reason = component.ReasonText(l, domain.ReasonLateMoney)
	case domain.OrderNone, domain.OrderConfirming, domain.OrderRefunded:
	}
	return vm
}

func myOrders(l *i18n.Localizer, w Words) templ.Component {
	row := func(status domain.OrderStatus, poster string) sitepage.OrderRow {
		look, word := component.OrderWord(l, status)
		return sitepage.OrderRow{
			URL: "/orders/" + orderID, Title: w.Title, When: l.DateTime(Now(), Zone()), Where: w.Room,
			Seats: Lines(l, w)[0].Seat, Total: l.Money(2900, "EUR"), Poster: component.PosterURL(poster), Look: look, Word: word,
		}
	}
	return sitepage.MyOrders(sitepage.MyOrdersPage{
		Page:     Page(l, w, "/orders"),
		Upcoming: []sitepage.OrderRow{row(domain.OrderReserved, "general"), row(domain.OrderPaid, "metropolis")},
		Past:     []sitepage.OrderRow{row(domain.OrderExpired, "phantom"), row(domain.OrderRefunded, "")},
		NextURL:  "/orders?after=x",
	})
}
