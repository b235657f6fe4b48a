package handlers_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"usher/handlers/handlertest"
	"usher/repo/repotest"
	"usher/service/domain"
	"usher/service/paygate"
)

type orderBody struct {
	ID, Status, Reason, Currency string
	ScreeningID                  string `json:"screening_id"`
	Quantity                     int
	AmountMinor                  int64      `json:"amount_minor"`
	ExpiresAt                    *time.Time `json:"expires_at"`
	BookingCode                  string     `json:"booking_code"`
	TicketCode                   string     `json:"ticket_code"`
	CreatedAt                    time.Time  `json:"created_at"`
	Seats                        []map[string]any
}

func orderOf(t *testing.T, c *handlertest.Client, id string) orderBody {
	t.Helper()
	var o orderBody
	c.Get(t, "/api/v1/orders/"+id).Want(t, 200).JSON(t, &o)
	return o
}

// pay begins to pay an order and chooses an outcome on the pay page.
func pay(t *testing.T, c *handlertest.Client, order, outcome string) (paymentID string) {
	t.Helper()
	var got struct {
		PaymentID string `json:"payment_id"`
		PayURL    string `json:"pay_url"`
	}
	c.Post(t, "/api/v1/orders/"+order+"/checkout", `{"email":"Mia@Example.org","name":"Mia"}`).Want(t, 200).JSON(t, &got)
	if got.PaymentID == "" || got.PayURL != "/pay/sandbox/"+got.PaymentID {
		t.Fatalf("checkout %+v", got)
	}
	c.Post(t, "/api/v1/payments/sandbox/"+got.PaymentID, `{"outcome":"`+outcome+`"}`).Want(t, 200)
	return got.PaymentID
}

func TestFromHoldToTicketAndBack(t *testing.T) {
	t.Parallel()
	handlertest.Each(t, handlertest.Options{}, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t)
		u := h.Guest(t)
		id := idOf(t, u.Hold(t, sc.ID, "k1", `{"seats":["A1","B10"]}`).Want(t, 201))
		eventually(t, func() (bool, string) { s := orderOf(t, u, id).Status; return s == "reserved", s })
		got := orderOf(t, u, id)
		want := []map[string]any{
			{"no": "A1", "zone": "stalls", "row": "A", "label": "1", "tier": "standard", "price_minor": 1200.0},
			{"no": "B10", "zone": "stalls", "row": "B", "label": "10", "tier": "premium", "price_minor": 1650.0},
		}
		if diff := cmp.Diff(want, got.Seats); diff != "" {
			t.Errorf("seats (-want +got):\n%s", diff)
		}
		if got.ScreeningID != sc.ID || got.Quantity != 2 || got.AmountMinor != 2850 || got.Currency != "EUR" || got.ExpiresAt == nil || got.CreatedAt.IsZero() || got.TicketCode != "" {
			t.Errorf("order %+v", got)
		}
		u.Get(t, "/api/v1/orders/"+id+"/ticket").Refused(t, 409, "order_state")
		u.Post(t, "/api/v1/orders/"+id+"/refund", "").Refused(t, 409, "order_state")

		pay(t, u, id, "duplicate")
		paid := orderOf(t, u, id)
		if paid.Status != "paid" || paid.BookingCode == "" || paid.TicketCode == "" || paid.ExpiresAt != nil {
			t.Fatalf("order %+v", paid)
		}
		var ticket map[string]string
		u.Get(t, "/api/v1/orders/"+id+"/ticket").Want(t, 200).JSON(t, &ticket)
		if diff := cmp.Diff(map[string]string{"order_id": id, "booking_code": paid.BookingCode, "ticket_code": paid.TicketCode}, ticket); diff != "" {
			t.Errorf("ticket (-want +got):\n%s", diff)
		}
		if claims, err := h.Tickets.Verify(paid.TicketCode); err != nil || claims.OrderID != id {
			t.Errorf("ticket code %+v, %v", claims, err)
		}
		u.Post(t, "/api/v1/orders/"+id+"/cancel", "").Refused(t, 409, "order_state")
		eventually(t, func() (bool, string) { s := seatsOf(t, h.Nobody(), sc.ID)["A1"]; return s == "sold", s })

		u.Post(t, "/api/v1/orders/"+id+"/refund", "").Want(t, 200)
		eventually(t, func() (bool, string) { s := orderOf(t, u, id).Status; return s == "refunded", s })
		p := u.Get(t, "/api/v1/orders/"+id+"/ticket").Refused(t, 410, "expired")
		if p["order_status"] != "refunded" {
			t.Errorf("ticket of a refunded order: %v", p)
		}
		if again := orderOf(t, u, id); again.TicketCode != "" {
			t.Errorf("a refunded order still shows a ticket: %+v", again)
		}
		h.Agree(t, sc.ID)
	})
}

func TestOrderErrors(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	u, other := h.Guest(t), h.Guest(t)
	hold := func(key, seat string) string {
		return idOf(t, u.Hold(t, sc.ID, key, `{"seats":["`+seat+`"]}`).Want(t, 201))
	}
	open, cancelled, paying := hold("k1", "A1"), hold("k2", "A2"), hold("k3", "A3")
	u.Post(t, "/api/v1/orders/"+cancelled+"/cancel", "{}").Want(t, 200)
	payment := pay(t, u, paying, "timeout")
	order := "/api/v1/orders/"
	post := func(path, body string) handlertest.Call {
		return handlertest.Call{Method: "POST", Path: path, Body: body}
	}
	del := func(path string) handlertest.Call { return handlertest.Call{Method: "DELETE", Path: path} }
	handlertest.Run(t, []handlertest.Scenario{
		{Name: "nobody's orders", As: h.Nobody(), Call: get("/api/v1/orders"), Status: 401, Code: "unauthenticated"},
		{Name: "nobody looks", As: h.Nobody(), Call: get(order + open), Status: 401, Code: "unauthenticated"},
		{Name: "nobody pays", As: h.Nobody(), Call: post(order+open+"/checkout", `{"email":"a@b.example"}`), Status: 401, Code: "unauthenticated"},
		{Name: "nobody cancels", As: h.Nobody(), Call: del(order + open), Status: 401, Code: "unauthenticated"},
		{Name: "list", As: u, Call: get("/api/v1/orders"), Status: 200, Contains: []string{open, cancelled, paying, `"next_cursor":null`}},
		{Name: "first page", As: u, Call: get("/api/v1/orders?limit=2"), Status: 200, Contains: []string{`"next_cursor":"`}},
		{Name: "another one's list", As: other, Call: get("/api/v1/orders"), Status: 200, Contains: []string{`"items":[]`}, Lacks: []string{open}},
		{Name: "no address", As: u, Call: post(order+open+"/checkout", `{"email":"nonsense"}`), Status: 422, Code: "invalid", Contains: []string{`"email":"`}},
		{Name: "address missing", As: u, Call: post(order+open+"/checkout", `{}`), Status: 422, Code: "invalid", Contains: []string{`email`}},
		{Name: "own price", As: u, Call: post(order+open+"/checkout", `{"email":"a@b.example","amount_minor":1}`), Status: 422, Code: "invalid", Contains: []string{`"unknown":["amount_minor"]`}},
		{Name: "cancel with a body", As: u, Call: post(order+open+"/cancel", `{"reason":"x"}`), Status: 422, Code: "invalid", Contains: []string{`"unknown":["reason"]`}},
		{Name: "pay what is over", As: u, Call: post(order+cancelled+"/checkout", `{"email":"a@b.example"}`), Status: 410, Code: "expired", Contains: []string{`"order_status":"cancelled"`}},
		{Name: "refund what is over", As: u, Call: post(order+cancelled+"/refund", ""), Status: 410, Code: "expired"},
		{Name: "cancel twice", As: u, Call: post(order+cancelled+"/cancel", ""), Status: 200, Contains: []string{`"status":"cancelled"`, `"reason":"by_buyer"`, `"expires_at":null`}},
		{Name: "ticket of what is over", As: u, Call: get(order + cancelled + "/ticket"), Status: 410, Code: "expired"},
		{Name: "play another one's payment", As: other, Call: post("/api/v1/payments/sandbox/"+payment, `{"outcome":"approve"}`), Status: 404, Code: "not_found"},
		{Name: "play as nobody", As: h.Nobody(), Call: post("/api/v1/payments/sandbox/"+payment, `{"outcome":"approve"}`), Status: 401, Code: "unauthenticated"},
		{Name: "play nothing", As: u, Call: post("/api/v1/payments/sandbox/"+repotest.ID(), `{"outcome":"approve"}`), Status: 404, Code: "not_found"},
		{Name: "play what is not", As: u, Call: post("/api/v1/payments/sandbox/"+payment, `{"outcome":"perhaps"}`), Status: 422, Code: "invalid", Contains: []string{`"outcome":"`}},
		{Name: "decline", As: u, Call: post("/api/v1/payments/sandbox/"+payment, `{"outcome":"decline"}`), Status: 200},
		{Name: "reserved again", As: u, Call: get(order + paying), Status: 200, Contains: []string{`"status":"reserved"`}},
		{Name: "delete", As: u, Call: del(order + paying), Status: 200, Contains: []string{`"status":"cancelled"`}},
	})
	h.Agree(t, sc.ID)
}

// F2: another user's order looks exactly like one that is not there.
func TestForeignOrdersDoNotExist(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	u, thief := h.Guest(t), h.Guest(t)
	theirs := idOf(t, u.Hold(t, sc.ID, "k1", `{"seats":["A1"]}`).Want(t, 201))
	payment := pay(t, u, theirs, "timeout")
	for _, call := range []handlertest.Call{
		{Method: "GET", Path: "/api/v1/orders/ID"},
		{Method: "DELETE", Path: "/api/v1/orders/ID"},
		{Method: "GET", Path: "/api/v1/orders/ID/ticket"},
		{Method: "POST", Path: "/api/v1/orders/ID/cancel"},
		{Method: "POST", Path: "/api/v1/orders/ID/refund"},
		{Method: "POST", Path: "/api/v1/orders/ID/checkout", Body: `{"email":"a@b.example"}`},
		{Method: "POST", Path: "/api/v1/payments/sandbox/ID", Body: `{"outcome":"approve"}`},
	} {
		var bodies []string
		known := theirs
		if strings.Contains(call.Path, "payments") {
			known = payment
		}
		for _, id := range []string{known, repotest.ID(), "nonsense"} {
			c := call
			c.Path = strings.Replace(call.Path, "ID", id, 1)
			c.Header = map[string]string{"X-Request-ID": "same"}
			a := thief.Do(t, c)
			a.Refused(t, 404, "not_found")
			bodies = append(bodies, string(a.Body))
		}
		if bodies[0] != bodies[1] || bodies[1] != bodies[2] {
			t.Errorf("%s %s tells: %q", call.Method, call.Path, bodies)
		}
	}
	if o := orderOf(t, u, theirs); o.Status != "paying" {
		t.Errorf("the order is %s", o.Status)
	}
}

func TestGatewayCallbacks(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	u := h.Guest(t)
	id := idOf(t, u.Hold(t, sc.ID, "k1", `{"seats":["A1"]}`).Want(t, 201))
	payment := pay(t, u, id, "timeout")
	signed := func(p domain.Payment) handlertest.Call {
		cbs, err := h.Gateway.Callbacks(p, paygate.Approve, h.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		head := cbs[0].Headers
		return handlertest.Call{Method: "POST", Path: "/api/v1/payments/sandbox/callback", Body: string(cbs[0].Body), Header: map[string]string{
			"webhook-id": head.ID, "webhook-timestamp": head.Timestamp, "webhook-signature": head.Signature,
		}}
	}
	good := signed(domain.Payment{ID: payment, AmountMinor: 1200, Currency: "EUR"})
	with := func(change func(*handlertest.Call)) handlertest.Call {
		c := good
		c.Header = map[string]string{}
		for k, v := range good.Header {
			c.Header[k] = v
		}
		change(&c)
		return c
	}
	gateway := h.Nobody()
	handlertest.Run(t, []handlertest.Scenario{
		{Name: "unsigned", As: gateway, Call: with(func(c *handlertest.Call) { c.Header = nil }), Status: 401, Code: "bad_signature"},
		{Name: "altered", As: gateway, Call: with(func(c *handlertest.Call) { c.Body = strings.Replace(c.Body, "1200", "1", 1) }), Status: 401, Code: "bad_signature"},
		{Name: "another id", As: gateway, Call: with(func(c *handlertest.Call) { c.Header["webhook-id"] = "evt_x" }), Status: 401, Code: "bad_signature"},
		{Name: "too large", As: gateway, Call: with(func(c *handlertest.Call) { c.Body = strings.Repeat(" ", 70<<10) }), Status: 413, Code: "too_large"},
		{Name: "unknown gateway", As: gateway, Call: with(func(c *handlertest.Call) { c.Path = "/api/v1/payments/other/callback" }), Status: 404, Code: "not_found"},
		{Name: "unknown payment", As: gateway, Call: signed(domain.Payment{ID: repotest.ID(), AmountMinor: 1200, Currency: "EUR"}), Status: 404, Code: "not_found"},
		{Name: "still paying", As: u, Call: get("/api/v1/orders/" + id), Status: 200, Contains: []string{`"status":"paying"`}},
		{Name: "good", As: gateway, Call: good, Status: 204},
		{Name: "again", As: gateway, Call: good, Status: 204},
		{Name: "paid", As: u, Call: get("/api/v1/orders/" + id), Status: 200, Contains: []string{`"status":"paid"`}},
	})
}

// Money that comes for an order which ended meanwhile goes back.
func TestLateMoneyGoesBack(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	u := h.Guest(t)
	id := idOf(t, u.Hold(t, sc.ID, "k1", `{"seats":["A1"]}`).Want(t, 201))
	payment := pay(t, u, id, "timeout")
	u.Post(t, "/api/v1/orders/"+id+"/cancel", "").Want(t, 200)
	u.Post(t, "/api/v1/payments/sandbox/"+payment, `{"outcome":"approve"}`).Want(t, 200)
	eventually(t, func() (bool, string) { s := orderOf(t, u, id).Status; return s == "refunded", s })
	refunds, err := h.Store.RefundsOfOrder(context.Background(), id)
	if err != nil || len(refunds) != 1 || refunds[0].AmountMinor != 1200 {
		t.Errorf("refunds %+v, %v", refunds, err)
	}
	if h.Nobody().Get(t, "/api/v1/orders/"+id).Status != http.StatusUnauthorized {
		t.Error("nobody sees it")
	}
}
