package admin

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/adminpage"
	"usher/web/component"
	"usher/web/i18n"
)

// room is a screening with what both stores say of its seats: the live map from the hold store, the owners from
// the ledger, which is a moment behind.
type room struct {
	listed *service.Listed
	view   service.SeatView
	orders []domain.Order
}

func (h *Screenings) page(c *gin.Context, r room) (adminpage.ScreeningPage, error) {
	ctx, l, sc := c.Request.Context(), h.frame.Words(c), &r.listed.Screening
	around, err := h.frame.Around(ctx, sc)
	if err != nil {
		return adminpage.ScreeningPage{}, err
	}
	role := request.Visitor(ctx).Role
	vm := adminpage.ScreeningPage{
		Page: h.frame.Page(c), Screening: around.Head(l, sc), Facts: r.facts(l, around), Seats: r.taken(l, around),
		Actions: statusActions(l, role, sc.Status), CanBuild: rebuild.allowed(role) && sc.Status == domain.ScreeningOnSale,
	}
	vm.Look, vm.Status = component.ScreeningWord(l, sc.Status)
	if r.listed.Room != nil {
		m := component.NewSeatMap(l, component.SeatMapInput{
			Layout: r.listed.Room.Layout, States: r.words(), Prices: sc.Prices, Currency: sc.Currency, ReadOnly: true,
		})
		vm.Map, vm.Kinds = &m, component.Kinds(r.listed.Room.Layout)
	}
	return vm, nil
}

func (r room) words() []string {
	words := make([]string, len(r.view.States))
	for i, s := range r.view.States {
		words[i] = s.Word()
	}
	return words
}

// facts are the numbers of the head.
func (r room) facts(l *i18n.Localizer, around frame.Shown) []adminpage.Fact {
	sc, zone := &r.listed.Screening, around.Cinema.Location
	counts := map[domain.SeatState]int{}
	for _, s := range r.view.States {
		counts[s]++
	}
	if r.listed.Room == nil {
		for i := range r.orders {
			counts[stateOf(&r.orders[i])] += r.orders[i].Quantity
		}
	}
	number := func(key string, n int64) adminpage.Fact {
		return adminpage.Fact{Label: l.T("screening.fact." + key), Value: strconv.FormatInt(n, 10)}
	}
	return []adminpage.Fact{
		number("capacity", int64(sc.Capacity)), number("free", int64(r.view.Free)), number("held", int64(counts[domain.SeatHeld])),
		number("sold", int64(counts[domain.SeatSold])), number("blocked", int64(counts[domain.SeatBlocked])),
		{Label: l.T("screening.fact.sale"), Value: l.ShortDate(sc.OpensAt, zone) + " " + l.Time(sc.OpensAt, zone) + " – " + l.ShortDate(sc.ClosesAt, zone) + " " + l.Time(sc.ClosesAt, zone)},
		{Label: l.T("screening.fact.hold_mode"), Value: l.T("hold_mode." + string(sc.HoldMode))},
		number("partition", int64(sc.Partition)), number("epoch", sc.Epoch), number("version", sc.Version),
	}
}

func stateOf(o *domain.Order) domain.SeatState {
	if o.Status == domain.OrderPaid {
		return domain.SeatSold
	}
	return domain.SeatHeld
}

// taken lists the seats that are not free, with their orders; for general admission, the orders.
func (r room) taken(l *i18n.Localizer, around frame.Shown) []adminpage.SeatRow {
	var rows []adminpage.SeatRow
	if r.listed.Room == nil {
		for i := range r.orders {
			o := &r.orders[i]
			state := stateOf(o).Word()
			row := adminpage.SeatRow{Seat: l.T("seat.places", "Count", o.Quantity), State: state, Word: l.T("screening.fact." + state)}
			rows = append(rows, owned(l, row, o, around))
		}
		return rows
	}
	owner := map[int]*domain.Order{}
	for i := range r.orders {
		for _, ref := range r.orders[i].Seats {
			owner[ref.Index] = &r.orders[i]
		}
	}
	for i, s := range r.view.States {
		if s == domain.SeatFree || i >= len(r.listed.Room.Layout.Seats) {
			continue
		}
		row := adminpage.SeatRow{Seat: component.SeatName(l, &r.listed.Room.Layout.Seats[i]), State: s.Word(), Word: l.T("screening.fact." + s.Word())}
		rows = append(rows, owned(l, row, owner[i], around))
	}
	return rows
}

// shortID is how much of an order's id is printed; its end is what differs.
const shortID = 8

// owned adds the order that has the seat; a seat without one is in flight, blocked, or between two states.
func owned(l *i18n.Localizer, row adminpage.SeatRow, o *domain.Order, around frame.Shown) adminpage.SeatRow {
	if o == nil {
		return row
	}
	row.Owner = "…" + o.ID[max(0, len(o.ID)-shortID):]
	_, row.Note = component.OrderWord(l, o.Status)
	if until := service.Due(o); !until.IsZero() {
		row.Until = l.TimeZoned(until, around.Cinema.Location)
	}
	return row
}
