package service

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"usher/service/domain"
)

// Receipts signs what a buyer was promised (HMAC-SHA256), so that a promise that was lost can be told from one
// that was never made. The same hold always has the same receipt.
type Receipts struct{ key []byte }

// Receipt is what was promised.
type Receipt struct {
	HoldID      string    `json:"hold_id"`
	ScreeningID string    `json:"screening_id"`
	UserID      string    `json:"user_id"`
	Seats       []string  `json:"seats,omitempty"`
	Quantity    int       `json:"quantity"`
	ExpiresAt   time.Time `json:"expires_at"`
}

// NewReceipts derives the signing key from the installation's secret.
func NewReceipts(secret []byte) *Receipts {
	return &Receipts{key: DeriveKey(secret, "usher receipt v1")}
}

// DeriveKey makes a key of its own for each use of the installation's secret.
func DeriveKey(secret []byte, label string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(label))
	return mac.Sum(nil)
}

// Sign returns the receipt's text.
func (r *Receipts) Sign(c Receipt) string {
	body, err := json.Marshal(c)
	if err != nil {
		panic("receipt: " + err.Error()) // texts, numbers and a time always marshal
	}
	text := base64.RawURLEncoding.EncodeToString(body)
	return text + "." + base64.RawURLEncoding.EncodeToString(r.mac(text))
}

// Verify reads a receipt's text. Errors: ErrSignature.
func (r *Receipts) Verify(text string) (Receipt, error) {
	body, sig, ok := strings.Cut(text, ".")
	given, err := base64.RawURLEncoding.DecodeString(sig)
	if !ok || err != nil || !hmac.Equal(given, r.mac(body)) {
		return Receipt{}, domain.ErrSignature
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return Receipt{}, domain.ErrSignature
	}
	var c Receipt
	if err := json.Unmarshal(raw, &c); err != nil {
		return Receipt{}, domain.ErrSignature
	}
	return c, nil
}

func (r *Receipts) mac(text string) []byte {
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
