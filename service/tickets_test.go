package service_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	qr "github.com/piglig/go-qr"

	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
)

func newTickets(t *testing.T, secret string) *service.Tickets {
	t.Helper()
	tickets, err := service.NewTickets([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return tickets
}

const ticketSecret = "a secret of at least sixteen bytes"

func paidOrder() *domain.Order {
	return &domain.Order{ID: repotest.ID(), ScreeningID: repotest.ID(), Status: domain.OrderPaid, BookingCode: "K7M2XWQ9"}
}

func TestTicketCodeSaysWhatWasSigned(t *testing.T) {
	t.Parallel()
	o := paidOrder()
	code, err := newTickets(t, ticketSecret).Code(o)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^USHER1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`).MatchString(code) {
		t.Errorf("code is %q", code)
	}
	got, err := newTickets(t, ticketSecret).Verify(" " + code + "\n") // as scanners send it
	want := service.TicketClaims{OrderID: o.ID, ScreeningID: o.ScreeningID, BookingCode: "K7M2XWQ9"}
	if err != nil || got != want {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	again, err := newTickets(t, ticketSecret).Code(o)
	if err != nil || again != code {
		t.Errorf("the second code differs: %q, %v", again, err)
	}
}

func TestNoChangedSignOfATicketCodeVerifies(t *testing.T) {
	t.Parallel()
	tickets := newTickets(t, ticketSecret)
	code, err := tickets.Code(paidOrder())
	if err != nil {
		t.Fatal(err)
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	for i := range len(code) {
		for _, c := range []byte(alphabet) {
			if c == code[i] {
				continue
			}
			if _, err := tickets.Verify(code[:i] + string(c) + code[i+1:]); !errors.Is(err, domain.ErrSignature) && !errors.Is(err, domain.ErrMalformed) {
				t.Fatalf("%q in place %d: got %v, want a refusal", c, i, err)
			}
		}
	}
	for _, junk := range []string{"", "USHER1", "USHER1..", code + ".x", "USHER2" + code[6:], "USHER1.AAAA.AAAA"} {
		if _, err := tickets.Verify(junk); !errors.Is(err, domain.ErrMalformed) {
			t.Errorf("%q: got %v, want malformed", junk, err)
		}
	}
	if _, err := newTickets(t, "the secret of another house").Verify(code); !errors.Is(err, domain.ErrSignature) {
		t.Errorf("another house: got %v, want bad_signature", err)
	}
	if newTickets(t, ticketSecret).PublicKey() == newTickets(t, "the secret of another house").PublicKey() {
		t.Error("two secrets have one key")
	}
}

func TestNoTicketBeforeOrAfterPaid(t *testing.T) {
	t.Parallel()
	tickets := newTickets(t, ticketSecret)
	for status, want := range map[domain.OrderStatus]error{
		domain.OrderReserved: domain.ErrOrderState, domain.OrderPaying: domain.ErrOrderState, domain.OrderRefunding: domain.ErrExpired,
		domain.OrderRefunded: domain.ErrExpired, domain.OrderExpired: domain.ErrExpired, domain.OrderCancelled: domain.ErrExpired, domain.OrderFailed: domain.ErrExpired,
	} {
		o := paidOrder()
		o.Status = status
		if code, err := tickets.Code(o); !errors.Is(err, want) || code != "" {
			t.Errorf("%s: got %q, %v, want %v", status, code, err, want)
		}
	}
	o := paidOrder()
	o.ID = "not an id"
	if _, err := tickets.Code(o); err == nil {
		t.Error("an id that is none was signed")
	}
	if _, err := service.NewTickets([]byte("short")); err == nil {
		t.Error("a short secret was taken")
	}
}

func TestQRCodeCanBeReadFromItsDrawing(t *testing.T) {
	t.Parallel()
	tickets := newTickets(t, ticketSecret)
	code, err := tickets.Code(paidOrder())
	if err != nil {
		t.Fatal(err)
	}
	svg, err := tickets.QRSVG(code)
	if err != nil {
		t.Fatal(err)
	}
	got, err := qr.Decode(draw(t, svg))
	if err != nil || got != code {
		t.Fatalf("read %q, %v, want %q", got, err, code)
	}
	if _, err := tickets.QRSVG(strings.Repeat("x", 5000)); err == nil {
		t.Error("a text that fits no code was drawn")
	}
}

func TestQRCodeNeedsNothingThatAPolicyForbids(t *testing.T) {
	t.Parallel()
	svg, err := newTickets(t, ticketSecret).QRSVG("anything")
	if err != nil {
		t.Fatal(err)
	}
	elements, attributes := []string{"svg", "path"}, []string{"xmlns", "viewBox", "role", "shape-rendering", "fill", "d"}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(elements, start.Name.Local) {
			t.Errorf("element %s", start.Name.Local)
		}
		for _, a := range start.Attr {
			if !slices.Contains(attributes, a.Name.Local) {
				t.Errorf("attribute %s", a.Name.Local)
			}
		}
	}
}

// draw paints the dark runs of the SVG on white, four pixels a module.
func draw(t *testing.T, svg string) image.Image {
	t.Helper()
	const scale = 4
	var size int
	if _, err := fmt.Sscanf(svg[strings.Index(svg, "viewBox"):], `viewBox="0 0 %d`, &size); err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, size*scale, size*scale))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	dark := svg[strings.Index(svg, `fill="#000000"`):]
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(dark, -1) {
		x, y, run := number(m[1]), number(m[2]), number(m[3])
		if x < 4 || y < 4 || x+run > size-4 || y >= size-4 || m[3] != m[4] {
			t.Fatalf("run %s is in the quiet zone or not closed", m[0])
		}
		for px := x * scale; px < (x+run)*scale; px++ {
			for py := y * scale; py < (y+1)*scale; py++ {
				img.SetGray(px, py, color.Gray{})
			}
		}
	}
	return img
}
