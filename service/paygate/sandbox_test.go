package paygate_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"usher/service"
	"usher/service/domain"
	"usher/service/paygate"
)

var (
	now     = time.Date(2031, time.March, 14, 18, 30, 0, 0, time.UTC)
	payment = domain.Payment{ID: "p1", OrderID: "o1", Gateway: "sandbox", Status: domain.PaymentOpen, AmountMinor: 2400, Currency: "EUR"}
)

func sandbox(t *testing.T, secrets ...string) *paygate.Sandbox {
	t.Helper()
	keys := make([][]byte, len(secrets))
	for i, s := range secrets {
		keys[i] = []byte(s)
	}
	s, err := paygate.NewSandbox(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	oldSecret = "the secret of last year"
	newSecret = "the secret of this year"
)

func callbacks(t *testing.T, s *paygate.Sandbox, outcome paygate.Outcome) []paygate.SignedCallback {
	t.Helper()
	got, err := s.Callbacks(payment, outcome, now)
	if err != nil {
		t.Fatalf("%s: %v", outcome, err)
	}
	return got
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	s := sandbox(t, newSecret)
	captured, declined := domain.CallbackCaptured, domain.CallbackDeclined
	for outcome, want := range map[paygate.Outcome][]domain.CallbackType{
		paygate.Approve: {captured}, paygate.Decline: {declined}, paygate.Timeout: nil,
		paygate.Duplicate: {captured, captured, captured}, paygate.Late: {captured},
	} {
		var got []domain.CallbackType
		for _, c := range callbacks(t, s, outcome) {
			cb, err := s.Verify(c.Headers, c.Body, now)
			if err != nil {
				t.Fatalf("%s: %v", outcome, err)
			}
			got = append(got, cb.Type)
			cb.ID, cb.Type = "", ""
			if diff := cmp.Diff(domain.Callback{PaymentID: "p1", GatewayRef: "sbx_p1", AmountMinor: 2400, Currency: "EUR"}, cb); diff != "" {
				t.Errorf("%s (-want +got):\n%s", outcome, diff)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", outcome, got, want)
		}
	}
	d := callbacks(t, s, paygate.Duplicate)
	if d[0].Headers.ID != d[1].Headers.ID || d[0].Headers.ID == d[2].Headers.ID {
		t.Errorf("duplicate: ids %s, %s, %s, want the first twice and another one", d[0].Headers.ID, d[1].Headers.ID, d[2].Headers.ID)
	}
	if _, err := s.Callbacks(payment, "perhaps", now); !errors.Is(err, domain.ErrInvalid) {
		t.Errorf("unknown outcome: %v", err)
	}
}

// The message is a published example of the standard. It is none of ours, so a signature that holds shows as
// malformed, and one that does not as bad_signature.
func TestSignatureOfTheStandard(t *testing.T) {
	t.Parallel()
	secret, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox(t, string(secret))
	h := service.CallbackHeaders{
		ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp: "1614265330", Signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	}
	body, at := []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)
	if _, err := s.Verify(h, body, at); !errors.Is(err, domain.ErrMalformed) {
		t.Errorf("got %v, want malformed", err)
	}
	if _, err := s.Verify(h, append(body, ' '), at); !errors.Is(err, domain.ErrSignature) {
		t.Errorf("altered: got %v, want bad_signature", err)
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	s := sandbox(t, newSecret)
	good := callbacks(t, s, paygate.Approve)[0]
	for name, change := range map[string]func(*paygate.SignedCallback, *time.Time){
		"no id":           func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.ID = "" },
		"another id":      func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.ID = "evt_other" },
		"no time":         func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.Timestamp = "" },
		"another time":    func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.Timestamp = "1931279401" },
		"no signature":    func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.Signature = "" },
		"empty signature": func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.Signature = "v1," },
		"another scheme":  func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.Signature = "v2" + c.Headers.Signature[2:] },
		"altered body": func(c *paygate.SignedCallback, _ *time.Time) {
			c.Body = []byte(strings.Replace(string(c.Body), "2400", "2401", 1))
		},
		"dots moved": func(c *paygate.SignedCallback, _ *time.Time) { c.Headers.ID += "." + c.Headers.Timestamp },
		"too old":    func(_ *paygate.SignedCallback, at *time.Time) { *at = now.Add(5*time.Minute + time.Second) },
		"too new":    func(_ *paygate.SignedCallback, at *time.Time) { *at = now.Add(-5*time.Minute - time.Second) },
		"signed by a forger": func(c *paygate.SignedCallback, _ *time.Time) {
			*c = callbacks(t, sandbox(t, "some other secret"), paygate.Approve)[0]
		},
	} {
		c, at := good, now
		change(&c, &at)
		if _, err := s.Verify(c.Headers, c.Body, at); !errors.Is(err, domain.ErrSignature) {
			t.Errorf("%s: got %v, want bad_signature", name, err)
		}
	}
	for _, at := range []time.Time{now.Add(5 * time.Minute), now.Add(-5 * time.Minute)} {
		if _, err := s.Verify(good.Headers, good.Body, at); err != nil {
			t.Errorf("at the bound: %v", err)
		}
	}
}

func TestSecretsCanBeReplaced(t *testing.T) {
	t.Parallel()
	signedOld := callbacks(t, sandbox(t, oldSecret), paygate.Approve)[0]
	signedNew := callbacks(t, sandbox(t, newSecret, oldSecret), paygate.Approve)[0]
	both := signedOld
	both.Headers.Signature = "v1a,AAAA v1,broken= " + signedOld.Headers.Signature
	for name, c := range map[string]struct {
		by   *paygate.Sandbox
		cb   paygate.SignedCallback
		fine bool
	}{
		"old, while both count":       {sandbox(t, newSecret, oldSecret), signedOld, true},
		"new, while both count":       {sandbox(t, newSecret, oldSecret), signedNew, true},
		"signed with the first":       {sandbox(t, newSecret), signedNew, true},
		"one of several":              {sandbox(t, oldSecret), both, true},
		"old, when it no more counts": {sandbox(t, newSecret), signedOld, false},
	} {
		if _, err := c.by.Verify(c.cb.Headers, c.cb.Body, now); (err == nil) != c.fine {
			t.Errorf("%s: got %v, want fine=%v", name, err, c.fine)
		}
	}
	for _, secrets := range [][][]byte{nil, {[]byte("short")}, {[]byte(newSecret), nil}} {
		if _, err := paygate.NewSandbox(secrets...); err == nil {
			t.Errorf("secrets %q were taken", secrets)
		}
	}
}

func TestRefundHasOneReference(t *testing.T) {
	t.Parallel()
	s := sandbox(t, newSecret)
	ref := func(id string) string {
		got, err := s.Refund(context.Background(), payment, domain.Refund{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first, again, other := ref("r1"), ref("r1"), ref("r2")
	if first != again || first == other {
		t.Errorf("references %s, %s, %s, want the first two alike", first, again, other)
	}
}

// endpoint is usher's callback address: it counts what verifies and answers a status.
type endpoint struct {
	*httptest.Server
	status int
	got    []domain.CallbackType
}

func newEndpoint(t *testing.T, s *paygate.Sandbox) *endpoint {
	t.Helper()
	e := &endpoint{status: http.StatusNoContent}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h := service.CallbackHeaders{ID: r.Header.Get("webhook-id"), Timestamp: r.Header.Get("webhook-timestamp"), Signature: r.Header.Get("webhook-signature")}
		cb, err := s.Verify(h, body, now)
		if err != nil {
			t.Errorf("verify what arrived: %v", err)
		}
		e.got = append(e.got, cb.Type)
		w.WriteHeader(e.status)
	}))
	t.Cleanup(e.Close)
	return e
}

func TestPlay(t *testing.T) {
	t.Parallel()
	s := sandbox(t, newSecret)
	e := newEndpoint(t, s)
	var waits []time.Duration
	var later func()
	p := &paygate.Player{
		Sandbox: s, Client: e.Client(), CallbackURL: e.URL, Now: func() time.Time { return now },
		After: func(d time.Duration, run func()) { waits, later = append(waits, d), run }, Log: slog.New(slog.DiscardHandler),
	}
	order := &domain.Order{ID: "o1", ExpiresAt: now.Add(time.Minute)}
	ctx, cancel := context.WithCancel(context.Background())
	play := func(choice string) error { return p.Play(ctx, &payment, order, choice) }

	if err := play("duplicate"); err != nil || len(e.got) != 3 {
		t.Fatalf("duplicate: %v, %d messages, want 3", err, len(e.got))
	}
	if err := play("timeout"); err != nil || len(e.got) != 3 {
		t.Fatalf("timeout: %v, %d messages, want no more", err, len(e.got))
	}
	if err := play("perhaps"); !errors.Is(err, domain.ErrInvalid) {
		t.Fatalf("unknown choice: %v", err)
	}
	if err := play("late"); err != nil || len(e.got) != 3 || !slices.Equal(waits, []time.Duration{65 * time.Second}) {
		t.Fatalf("late: %v, %d messages, waits %v, want none yet and one wait of 65 s", err, len(e.got), waits)
	}
	cancel() // the request is over by then
	later()
	if len(e.got) != 4 || e.got[3] != domain.CallbackCaptured {
		t.Fatalf("after the wait: %v", e.got)
	}
	ctx = context.Background()
	e.status = http.StatusServiceUnavailable
	if err := play("approve"); !errors.Is(err, domain.ErrUnavailable) {
		t.Fatalf("not taken: %v", err)
	}
	order.ExpiresAt = now.Add(-time.Minute)
	e.status = http.StatusOK
	if err := play("late"); err != nil || len(e.got) != 6 || len(waits) != 1 {
		t.Fatalf("late after the end: %v, %d messages, want it sent at once", err, len(e.got))
	}
}
