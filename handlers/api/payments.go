package api

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/service"
	"usher/service/domain"
)

// SandboxPlayer does what a person chose on the sandbox gateway's pay page.
type SandboxPlayer interface {
	Play(ctx context.Context, payment *domain.Payment, order *domain.Order, choice string) error
}

// Payments hears gateways and plays the sandbox.
type Payments struct {
	Payments *service.Payments
	Sandbox  SandboxPlayer // nil where another gateway takes the money
}

// Callback hears a gateway. Its signature is over the body as it came, so nothing is decoded before it holds.
// Only what was understood and written is acknowledged; everything else makes the gateway send it again.
func (h *Payments) Callback(c *gin.Context) { h.accept(c, c.Param("gateway")) }

// SandboxCallback hears the sandbox, whose callback path would else be read as a payment's.
func (h *Payments) SandboxCallback(c *gin.Context) { h.accept(c, "sandbox") }

func (h *Payments) accept(c *gin.Context, gateway string) {
	body, err := request.Body(c.Request)
	if err != nil {
		response.Error(c, err)
		return
	}
	headers := service.CallbackHeaders{
		ID: c.GetHeader("webhook-id"), Timestamp: c.GetHeader("webhook-timestamp"), Signature: c.GetHeader("webhook-signature"),
	}
	if err := h.Payments.Accept(c.Request.Context(), gateway, headers, body); err != nil {
		response.Error(c, err)
		return
	}
	c.Status(http.StatusNoContent)
}

type playInput struct {
	PaymentID string `path:"payment_id"`
	Body      struct {
		Outcome string `json:"outcome" doc:"approve, decline, timeout, duplicate or late."`
	}
}

type playOutput struct {
	Body struct {
		PaymentID string `json:"payment_id"`
		Outcome   string `json:"outcome"`
	}
}

// Play sends the messages that the sandbox gateway would send after the buyer's choice.
func (h *Payments) Play(ctx context.Context, in *playInput) (*playOutput, error) {
	if h.Sandbox == nil {
		return nil, domain.ErrNotFound
	}
	user, err := request.User(ctx)
	if err != nil {
		return nil, err
	}
	payment, order, err := h.Payments.Own(ctx, in.PaymentID, user.UserID)
	if err != nil {
		return nil, err
	}
	if err := h.Sandbox.Play(ctx, payment, order, in.Body.Outcome); err != nil {
		return nil, err
	}
	out := &playOutput{}
	out.Body.PaymentID, out.Body.Outcome = payment.ID, in.Body.Outcome
	return out, nil
}
