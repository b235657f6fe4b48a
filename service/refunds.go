package service

import (
	"context"
	"fmt"

	"usher/service/domain"
)

// DeliverRefund delivers a refund effect: it asks the gateway, which pays one refund once however often it is
// asked, and then records it. An order that is being refunded is refunded when none of its refunds is due any
// more. Delivering again changes nothing.
func (p *Payments) DeliverRefund(ctx context.Context, e domain.Effect) error {
	refund, err := p.desk.store.Refund(ctx, e.Ref)
	if err != nil {
		return err
	}
	if refund.Status == domain.RefundDone {
		return nil
	}
	payment, err := p.desk.store.Payment(ctx, refund.PaymentID)
	if err != nil {
		return err
	}
	if payment.Gateway != p.gateway.Name() {
		return fmt.Errorf("refund %s belongs to gateway %s, which is not set up here: %w", refund.ID, payment.Gateway, domain.ErrInvalid)
	}
	order, err := p.desk.store.Order(ctx, refund.OrderID)
	if err != nil {
		return err
	}

	gatewayRef, err := p.gateway.Refund(ctx, *payment, *refund)
	if err != nil {
		return fmt.Errorf("ask %s for refund %s: %w", payment.Gateway, refund.ID, err)
	}

	return p.desk.locked(ctx, order, func(l *lockedOrder) error {
		changed, err := l.tx.FinishRefund(ctx, refund.ID, gatewayRef, l.now)
		if err != nil || !changed {
			return err
		}
		p.log.InfoContext(ctx, "money returned", "order_id", order.ID, "payment_id", payment.ID, "refund_id", refund.ID,
			"amount_minor", refund.AmountMinor, "currency", refund.Currency, "reason", string(refund.Reason))
		return finishRefunding(ctx, l)
	})
}

func finishRefunding(ctx context.Context, l *lockedOrder) error {
	if l.order.Status != domain.OrderRefunding {
		return nil
	}
	refunds, err := l.tx.RefundsOfOrder(ctx, l.order.ID)
	if err != nil {
		return err
	}
	for _, r := range refunds {
		if r.Status == domain.RefundDue {
			return nil
		}
	}
	return l.move(ctx, domain.OrderRefunded, actorGateway, l.order.Reason)
}
