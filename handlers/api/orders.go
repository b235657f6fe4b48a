package api

import (
	"context"
	"time"

	"usher/handlers/request"
	"usher/service"
	"usher/service/domain"
)

// Orders shows people what became of their holds and lets them go on from there.
type Orders struct {
	Orders   *service.Orders
	Catalog  *service.Catalog
	Checkout *service.Checkout
	Cancels  *service.Cancel
	Tickets  *service.Tickets
}

type orderView struct {
	ID          string             `json:"id"`
	ScreeningID string             `json:"screening_id"`
	Status      domain.OrderStatus `json:"status" enum:"confirming,reserved,paying,paid,refunding,refunded,failed,expired,cancelled"`
	Reason      string             `json:"reason" doc:"Why the order ended, empty before."`
	Seats       []orderSeat        `json:"seats" nullable:"false" doc:"Empty for general admission."`
	Quantity    int                `json:"quantity"`
	AmountMinor int64              `json:"amount_minor"`
	Currency    string             `json:"currency"`
	ExpiresAt   *time.Time         `json:"expires_at" doc:"Until when it holds its seats, null when not by time."`
	BookingCode string             `json:"booking_code,omitempty"`
	TicketCode  string             `json:"ticket_code,omitempty" doc:"Text of the QR code, once it is paid."`
	CreatedAt   time.Time          `json:"created_at"`
	DuplicateOf string             `json:"duplicate_of,omitempty"`
}

type orderSeat struct {
	No         string `json:"no"`
	Zone       string `json:"zone"`
	Row        string `json:"row"`
	Label      string `json:"label"`
	Tier       string `json:"tier"`
	PriceMinor int64  `json:"price_minor"`
}

type orderInput struct {
	ID            string `path:"id"`
	Receipt       string `query:"receipt" doc:"Receipt of the hold: it tells a lost hold (410) from one that never was (404)."`
	ReceiptHeader string `header:"Receipt" doc:"The same, as a header."`
}

type orderOutput struct{ Body orderView }

// View shows an order of the asking user. Other people's orders do not exist.
func (h *Orders) View(ctx context.Context, in *orderInput) (*orderOutput, error) {
	user, err := request.User(ctx)
	if err != nil {
		return nil, err
	}
	receipt := in.Receipt
	if receipt == "" {
		receipt = in.ReceiptHeader
	}
	return h.show(ctx, in.ID, user.UserID, receipt)
}

type listOrdersOutput struct{ Body list[orderView] }

// List shows the asking user's orders, newest first. Holds on their way into the ledger are not in it yet.
func (h *Orders) List(ctx context.Context, in *Paging) (*listOrdersOutput, error) {
	user, err := request.User(ctx)
	if err != nil {
		return nil, err
	}
	orders, err := h.Orders.List(ctx, user.UserID, in.domain())
	if err != nil {
		return nil, err
	}
	items := make([]orderView, len(orders.Items))
	for i := range orders.Items {
		if items[i], err = h.view(ctx, &orders.Items[i]); err != nil {
			return nil, err
		}
	}
	return &listOrdersOutput{Body: newList(items, orders.Next)}, nil
}

type orderAction struct {
	ID   string    `path:"id"`
	Body *struct{} // nothing to say; anything said is refused
}

// Cancel gives up an unpaid order and answers with what became of it.
func (h *Orders) Cancel(ctx context.Context, in *orderAction) (*orderOutput, error) {
	return h.act(ctx, in.ID, h.Cancels.Cancel)
}

// Delete is Cancel by another method.
func (h *Orders) Delete(ctx context.Context, in *byID) (*orderOutput, error) {
	return h.act(ctx, in.ID, h.Cancels.Cancel)
}

// Refund gives a paid order back and answers with what became of it.
func (h *Orders) Refund(ctx context.Context, in *orderAction) (*orderOutput, error) {
	return h.act(ctx, in.ID, h.Cancels.Refund)
}

func (h *Orders) act(ctx context.Context, id string, do func(ctx context.Context, orderID, userID string) error) (*orderOutput, error) {
	user, err := request.User(ctx)
	if err != nil {
		return nil, err
	}
	if err := do(ctx, id, user.UserID); err != nil {
		return nil, err
	}
	return h.show(ctx, id, user.UserID, "")
}

type checkoutInput struct {
	ID   string `path:"id"`
	Body struct {
		Email string `json:"email"`
		Name  string `json:"name,omitempty"`
	}
}

type checkoutOutput struct {
	Body struct {
		PaymentID string `json:"payment_id"`
		PayURL    string `json:"pay_url" doc:"Where the buyer pays; may be relative to this site. Empty when there is nothing to pay."`
		Paid      bool   `json:"paid,omitempty" doc:"True when there was nothing to pay."`
	}
}

// StartCheckout begins or goes on with paying.
func (h *Orders) StartCheckout(ctx context.Context, in *checkoutInput) (*checkoutOutput, error) {
	user, err := request.User(ctx)
	if err != nil {
		return nil, err
	}
	start, err := h.Checkout.Start(ctx, service.CheckoutRequest{OrderID: in.ID, UserID: user.UserID, Email: in.Body.Email, Name: in.Body.Name})
	if err != nil {
		return nil, err
	}
	out := &checkoutOutput{}
	out.Body.PaymentID, out.Body.PayURL, out.Body.Paid = start.PaymentID, start.PayURL, start.Paid
	return out, nil
}

type ticketOutput struct {
	Body struct {
		OrderID     string `json:"order_id"`
		BookingCode string `json:"booking_code"`
		TicketCode  string `json:"ticket_code"`
	}
}

// Ticket gives the text of a paid order's QR code. A ticket that was given back is gone.
func (h *Orders) Ticket(ctx context.Context, in *byID) (*ticketOutput, error) {
	user, err := request.User(ctx)
	if err != nil {
		return nil, err
	}
	order, err := h.Orders.View(ctx, in.ID, user.UserID, "")
	if err != nil {
		return nil, err
	}
	code, err := h.Tickets.Code(order)
	if err != nil {
		return nil, err
	}
	out := &ticketOutput{}
	out.Body.OrderID, out.Body.BookingCode, out.Body.TicketCode = order.ID, order.BookingCode, code
	return out, nil
}
