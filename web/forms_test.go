package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"usher/web/webtest"
)

// forms lists every form of a page's main part as "method action: fields", each field once.
func forms(t *testing.T, page string) []string {
	t.Helper()
	doc := parse(t, render(t, "en", page, webtest.Plain()))
	out := []string{}
	for _, form := range elements(elements(doc, "main")[0], "form") {
		method, _ := attr(form, "method")
		action, _ := attr(form, "action")
		fields := fieldsOf(form)
		out = append(out, method+" "+action+": "+strings.Join(fields, " "))
	}
	return out
}

func fieldsOf(form *html.Node) []string {
	var fields []string
	for _, n := range elements(form, "input", "select", "button") {
		name, ok := attr(n, "name")
		if !ok {
			continue
		}
		value, _ := attr(n, "value")
		kind, _ := attr(n, "type")
		if n.Data == "button" || (kind == "hidden" && name == "status") {
			name += "=" + value
		}
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields
}

// TestForms is the contract between pages and handlers: where each form goes and what it sends.
func TestForms(t *testing.T) {
	t.Parallel()
	const hold = "post /screenings/0190c0de-5c00/holds: "
	const order = "/orders/0190c0de-7a11-7000-8000-00000000000c"
	outcomes := "outcome=approve outcome=decline outcome=timeout outcome=duplicate outcome=late"
	for page, want := range map[string][]string{
		"whatson":          {},
		"seatmap":          {hold + "idempotency_key seats", hold + "idempotency_key best tier"},
		"seatmap-closed":   {hold + "idempotency_key seats"},
		"general":          {hold + "idempotency_key quantity"},
		"checkout":         {"post " + order + "/checkout: idempotency_key email name", "post " + order + "/cancel: "},
		"sandboxpay":       {"post /pay/sandbox/p1: " + outcomes},
		"sandboxpay-done":  {},
		"order-confirming": {},
		"order-reserved":   {"post " + order + "/cancel: "},
		"order-paying":     {},
		"order-paid":       {"post " + order + "/refund: "},
		"order-failed":     {},
		"signin":           {"post /sign-in: next email password"},
		"signup":           {"post /sign-up: next email name password"},
		"staff-setup":      {"post /staff/setup: token email password"},
		"staff-signin":     {"post /staff/sign-in: next email password"},
		"staff-screenings": {"get /staff/screenings: date status"},
		"staff-overview":   {},
		"staff-screening": {
			"post /staff/screenings/0190c0de-5c00/status: status=on_sale", "post /staff/screenings/0190c0de-5c00/status: status=paused",
			"post /staff/screenings/0190c0de-5c00/status: status=closed", "post /staff/screenings/0190c0de-5c00/rebuild: ",
		},
	} {
		if diff := cmp.Diff(want, forms(t, page)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", page, diff)
		}
	}
}

func TestSeatMapSaysWhatEverySeatIs(t *testing.T) {
	t.Parallel()
	doc := parse(t, render(t, "en", "seatmap", webtest.Plain()))
	for no, want := range map[string]string{
		"H9":  "Row H, seat 9, Comfort, €14.50, free",
		"A4":  "Row A, seat 4, Standard, €11.00, sold",
		"A6":  "Row A, seat 6, Standard, €11.00, held by someone",
		"A1":  "Row A, seat 1, Wheelchair space, Standard, €11.00, free",
		"K24": "Row K, seat 24, Love seat, Love seat, €16.50, free",
	} {
		for _, n := range elements(doc, "input") {
			value, _ := attr(n, "value")
			label, _ := attr(n, "aria-label")
			_, disabled := attr(n, "disabled")
			_, checked := attr(n, "checked")
			name, _ := attr(n, "name")
			if name != "seats" || value != no {
				continue
			}
			if label != want {
				t.Errorf("%s is called %q, want %q", no, label, want)
			}
			if free := strings.HasSuffix(want, "free"); free == disabled {
				t.Errorf("%s: disabled = %v, want %v", no, disabled, !free)
			}
			if wantChecked := no == "H9"; checked != wantChecked {
				t.Errorf("%s: checked = %v, want %v", no, checked, wantChecked)
			}
		}
	}
}

func TestOrderPagesSayTheHonestState(t *testing.T) {
	t.Parallel()
	for page, c := range map[string]struct{ has, hasNot []string }{
		"order-confirming": {[]string{"Confirming your seats"}, []string{"Your seats are held", "Continue to payment"}},
		"order-reserved":   {[]string{"Your seats are held", "until 18:28 CEST", "Continue to payment"}, []string{"Booking code"}},
		"order-paying":     {[]string{"Please do not pay again"}, []string{"Continue to payment", "Booking code"}},
		"order-paid":       {[]string{"Row H, seat 9", "7KQ2 M9XD 4T", "Refund €29.00"}, []string{"Choose seats again"}},
		"order-failed":     {[]string{"Somebody else got one of the seats first.", "Choose seats again"}, []string{"Booking code"}},
		"order-expired":    {[]string{"The payment did not arrive in time.", "Choose seats again"}, nil},
		"order-refunding":  {[]string{"€29.00 is going back to you"}, []string{"Booking code"}},
		"order-refunded":   {[]string{"€29.00 went back to you", "Choose seats again"}, nil},
	} {
		text := textOf(elements(parse(t, render(t, "en", page, webtest.Plain())), "main")[0])
		for _, want := range c.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %s", page, want, text)
			}
		}
		for _, not := range c.hasNot {
			if strings.Contains(text, not) {
				t.Errorf("%s says %q", page, not)
			}
		}
	}
}
