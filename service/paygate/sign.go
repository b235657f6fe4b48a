package paygate

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"usher/service"
	"usher/service/domain"
)

// tolerance is how far a message's time may be from ours, either way.
const tolerance = 5 * time.Minute

// scheme is the only signature scheme that is understood; signatures of others are passed over.
const scheme = "v1"

// keyring signs with its first secret and accepts any, so that a secret can be replaced without losing messages.
type keyring [][]byte

// sign returns the headers of a message.
func (k keyring) sign(id string, body []byte, at time.Time) service.CallbackHeaders {
	h := service.CallbackHeaders{ID: id, Timestamp: strconv.FormatInt(at.Unix(), 10)}
	h.Signature = scheme + "," + base64.StdEncoding.EncodeToString(mac(k[0], h, body))
	return h
}

// verify checks the signature first and the time second, so that only a holder of a secret learns anything.
func (k keyring) verify(h service.CallbackHeaders, body []byte, now time.Time) error {
	if h.ID == "" || h.Timestamp == "" || h.Signature == "" || strings.Contains(h.ID, ".") {
		return domain.ErrSignature.Saying("A signature header is missing or cannot be read.")
	}
	if !k.signed(h, body) {
		return domain.ErrSignature
	}
	seconds, err := strconv.ParseInt(h.Timestamp, 10, 64)
	if err != nil {
		return domain.ErrSignature.Because(err)
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return domain.ErrSignature.Saying("The message is too old or too new.")
	}
	return nil
}

func (k keyring) signed(h service.CallbackHeaders, body []byte) bool {
	ok := false
	for _, part := range strings.Fields(h.Signature) {
		version, text, _ := strings.Cut(part, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if version != scheme || err != nil {
			continue
		}
		for _, secret := range k {
			if hmac.Equal(given, mac(secret, h, body)) {
				ok = true
			}
		}
	}
	return ok
}

func mac(secret []byte, h service.CallbackHeaders, body []byte) []byte {
	m := hmac.New(sha256.New, secret)
	_, _ = m.Write([]byte(h.ID + "." + h.Timestamp + "."))
	_, _ = m.Write(body)
	return m.Sum(nil)
}
