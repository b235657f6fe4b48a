package service

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"usher/service/domain"
)

// Tickets signs what the QR code of a ticket says. The key comes from the program's secret, so a code can be
// checked at the door without a network, by whoever has the public key.
type Tickets struct {
	key ed25519.PrivateKey
}

// TicketClaims is what a ticket's code says. It is signed, not current: whether the order still is paid, the
// ledger says.
type TicketClaims struct {
	OrderID     string
	ScreeningID string
	BookingCode string
}

const (
	ticketPrefix    = "USHER1"
	ticketKeyLabel  = "usher ticket key 1"
	ticketSecretMin = 16
)

// NewTickets derives the signing key from a secret of at least 16 bytes. Another secret makes all earlier tickets
// invalid.
func NewTickets(secret []byte) (*Tickets, error) {
	if len(secret) < ticketSecretMin {
		return nil, fmt.Errorf("tickets: the secret is shorter than %d bytes", ticketSecretMin)
	}
	seed, err := hkdf.Key(sha256.New, secret, nil, ticketKeyLabel, ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("derive the ticket key: %w", err)
	}
	return &Tickets{key: ed25519.NewKeyFromSeed(seed)}, nil
}

// PublicKey returns the key that checks codes, in base64url.
func (t *Tickets) PublicKey() string {
	return base64.RawURLEncoding.EncodeToString(t.key[ed25519.SeedSize:])
}

// Code returns the signed text for an order's QR code: USHER1.<claims>.<signature>, both base64url. ErrOrderState
// before the order is paid, ErrExpired once it has ended.
func (t *Tickets) Code(o *domain.Order) (string, error) {
	if o.Status == domain.OrderRefunding || o.Status.Final() && o.Status != domain.OrderPaid {
		return "", domain.ErrExpired.Saying("This ticket is no longer valid.").With("status", string(o.Status))
	}
	if o.Status != domain.OrderPaid || o.BookingCode == "" {
		return "", domain.ErrOrderState.With("status", string(o.Status))
	}
	order, err := uuid.Parse(o.ID)
	if err != nil {
		return "", fmt.Errorf("read the id of order %s: %w", o.ID, err)
	}
	screening, err := uuid.Parse(o.ScreeningID)
	if err != nil {
		return "", fmt.Errorf("read the screening of order %s: %w", o.ID, err)
	}
	claims := append(append(order[:], screening[:]...), o.BookingCode...) // 40 bytes: a small code reads better
	signed := ticketPrefix + "." + base64.RawURLEncoding.EncodeToString(claims)
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(t.key, []byte(signed))), nil
}

// Verify reads a code. ErrMalformed when it is none of ours, ErrSignature when it was not signed by this house.
func (t *Tickets) Verify(code string) (TicketClaims, error) {
	parts := strings.Split(strings.TrimSpace(code), ".")
	if len(parts) != 3 || parts[0] != ticketPrefix {
		return TicketClaims{}, domain.ErrMalformed.Saying("This is not a ticket of usher.")
	}
	strict := base64.RawURLEncoding.Strict() // one code, one spelling
	claims, err1 := strict.DecodeString(parts[1])
	signature, err2 := strict.DecodeString(parts[2])
	if err := errors.Join(err1, err2); err != nil || len(claims) <= 32 {
		return TicketClaims{}, domain.ErrMalformed.Saying("This is not a ticket of usher.").Because(err)
	}
	public, ok := t.key.Public().(ed25519.PublicKey)
	if !ok || !ed25519.Verify(public, []byte(parts[0]+"."+parts[1]), signature) {
		return TicketClaims{}, domain.ErrSignature
	}
	return TicketClaims{
		OrderID: uuid.UUID(claims[:16]).String(), ScreeningID: uuid.UUID(claims[16:32]).String(), BookingCode: string(claims[32:]),
	}, nil
}
