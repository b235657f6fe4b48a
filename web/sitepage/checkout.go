package sitepage

import (
	"usher/web/component"
	"usher/web/layout"
)

// CheckoutPage asks who gets the tickets: GET /orders/{id}/checkout, and the answer of its POST with 422.
type CheckoutPage struct {
	layout.Page
	OrderID    string
	Screening  component.ScreeningHead
	Lines      []component.SeatLine
	Total      string
	HeldUntil  string // 19:42 CEST
	Countdown  component.Countdown
	Email      string
	Name       string
	EmailError string
	NameError  string
	Alert      *component.Alert
	// IdempotencyKey makes a second press of the button the same payment.
	IdempotencyKey string
}

// OrderURL is the order's own page.
func (vm CheckoutPage) OrderURL() string { return "/orders/" + vm.OrderID }

func (vm CheckoutPage) email() component.Field {
	return component.Field{
		Name: "email", Label: vm.T("checkout.email"), Type: "email", Value: vm.Email, Autocomplete: "email",
		Hint: vm.T("checkout.email_hint"), Error: vm.EmailError, Required: true,
	}
}

func (vm CheckoutPage) name() component.Field {
	return component.Field{
		Name: "name", Label: vm.T("checkout.name"), Type: "text", Value: vm.Name, Autocomplete: "name",
		Error: vm.NameError, Required: true,
	}
}

// clock leads to the order's page at the end, where the truth is told.
func (vm CheckoutPage) clock() component.Countdown {
	c := vm.Countdown
	c.ThenURL = vm.OrderURL()
	return c
}
