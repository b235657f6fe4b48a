package sitepage

import (
	"usher/service/domain"
	"usher/web/component"
	"usher/web/layout"
)

// OrderPage tells the honest state of one order and becomes the ticket: GET /orders/{id}.
type OrderPage struct {
	layout.Page
	ID        string
	Status    domain.OrderStatus
	Version   string
	Screening component.ScreeningHead
	Lines     []component.SeatLine
	SeatNames []string // large on the ticket
	Total     string
	Reason    string // component.ReasonText; for failed, expired, cancelled, refunding, refunded

	HeldUntil string              // reserved and paying
	Countdown component.Countdown // reserved
	CanPay    bool
	CanCancel bool
	PayURL    string // paying: the gateway's page, where an open payment goes on; may be empty

	BookingGroups []string // paid: component.BookingGroups
	QRURL         string   // paid: /orders/{id}/qr.svg or a data URI
	Email         string   // paid: where the mail went, may be empty
	CanRefund     bool
	RefundRule    string // until when and how much
	RefundAmount  string
	Alert         *component.Alert
}

// URL is the order's page.
func (vm OrderPage) URL() string { return "/orders/" + vm.ID }

// waiting reports whether the page should ask again by itself.
func (vm OrderPage) waiting() bool {
	return vm.Status == domain.OrderConfirming || vm.Status == domain.OrderPaying || vm.Status == domain.OrderRefunding
}

func (vm OrderPage) head() layout.Head {
	h := layout.Head{Title: vm.heading(), Scripts: []string{"js/order.js", "js/countdown.js"}, NoIndex: true}
	if vm.waiting() {
		h.RefreshSeconds = "5"
	}
	return h
}

func (vm OrderPage) wait() string {
	if vm.waiting() {
		return "true"
	}
	return "false"
}

// heading says the state in one line.
func (vm OrderPage) heading() string {
	switch vm.Status {
	case domain.OrderConfirming:
		return vm.T("order.confirming.title")
	case domain.OrderReserved:
		return vm.T("order.reserved.title")
	case domain.OrderPaying:
		return vm.T("order.paying.title")
	case domain.OrderPaid:
		return vm.T("order.paid.title")
	case domain.OrderFailed:
		return vm.T("order.failed.title")
	case domain.OrderExpired:
		return vm.T("order.expired.title")
	case domain.OrderCancelled:
		return vm.T("order.cancelled.title")
	case domain.OrderRefunding:
		return vm.T("order.refunding.title")
	case domain.OrderRefunded:
		return vm.T("order.refunded.title")
	case domain.OrderNone:
	}
	return vm.T("order.title")
}

// sentence says what the state means and what happens next.
func (vm OrderPage) sentence() string {
	switch vm.Status {
	case domain.OrderConfirming:
		return vm.T("order.confirming.text")
	case domain.OrderReserved:
		return vm.T("order.reserved.text", "Time", vm.HeldUntil)
	case domain.OrderPaying:
		return vm.T("order.paying.text")
	case domain.OrderFailed:
		return vm.T("order.failed.text")
	case domain.OrderExpired:
		return vm.T("order.expired.text")
	case domain.OrderCancelled:
		return vm.T("order.cancelled.text")
	case domain.OrderRefunding:
		return vm.T("order.refunding.text", "Amount", vm.Total)
	case domain.OrderRefunded:
		return vm.T("order.refunded.text", "Amount", vm.Total)
	case domain.OrderPaid, domain.OrderNone:
	}
	return ""
}

// ended reports whether the seats are gone, so that the way back is to choose again.
func (vm OrderPage) ended() bool {
	switch vm.Status {
	case domain.OrderFailed, domain.OrderExpired, domain.OrderCancelled, domain.OrderRefunded:
		return true
	case domain.OrderNone, domain.OrderConfirming, domain.OrderReserved, domain.OrderPaying, domain.OrderPaid,
		domain.OrderRefunding:
		return false
	}
	return false
}
