package site

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/sitepage"
)

// Seats shows the choice of seats.
type Seats struct {
	frame   *frame.Frame
	catalog *service.Catalog
	feed    *service.SeatFeed
}

// Show shows the seats of a screening to anybody. ?seats= names seats to tick, which is how "try again" keeps a
// choice.
func (h *Seats) Show(c *gin.Context) {
	h.render(c, http.StatusOK, choice{seats: firstOf(c.QueryArray("seats"))})
}

// choice is what somebody wanted, and why he did not get it.
type choice struct {
	seats    []string
	quantity int
	gone     []string // seats that a refusal named
	alert    func(l *i18n.Localizer, listed *service.Listed, view service.SeatView) *component.Alert
}

// firstOf keeps as many seats as one hold may have.
func firstOf(seats []string) []string { return seats[:min(len(seats), domain.MaxSeatsPerHold)] }

func (h *Seats) render(c *gin.Context, status int, want choice) {
	ctx := c.Request.Context()
	listed, err := h.listed(ctx, c.Param("id"))
	if err != nil {
		response.Error(c, err)
		return
	}

	view, err := h.feed.View(ctx, listed.Screening.ID, request.Visitor(ctx).UserID)
	if err != nil {
		response.Error(c, err)
		return
	}

	vm, err := h.page(c, listed, view, want)
	if err != nil {
		response.Error(c, err)
		return
	}
	response.Page(c, status, sitepage.SeatMap(vm))
}

// listed returns a screening that the public may see.
func (h *Seats) listed(ctx context.Context, id string) (*service.Listed, error) {
	l, err := h.catalog.Screening(ctx, id)
	if err != nil {
		return nil, err
	}
	if l.Screening.Status == domain.ScreeningDraft {
		return nil, domain.ErrNotFound
	}
	return l, nil
}

func (h *Seats) page(c *gin.Context, listed *service.Listed, view service.SeatView, want choice) (sitepage.SeatMapPage, error) {
	l, sc := h.frame.Words(c), &listed.Screening
	around, err := h.frame.Around(c.Request.Context(), sc)
	if err != nil {
		return sitepage.SeatMapPage{}, err
	}
	now := h.frame.Now()
	vm := sitepage.SeatMapPage{
		Page: h.frame.Page(c), Screening: around.Head(l, sc), OnSale: sc.OnSale(now), Notice: component.SaleNotice(l, sc, now, around.Cinema.Location),
		FreeWords: component.FreeLine(l, view.Free), MaxSeats: mostSeats(sc, view), HoldWords: component.HoldWords(l, sc.HoldLife),
		Currency: sc.Currency, Version: strconv.FormatInt(view.Version, 10), IdempotencyKey: rand.Text(), BestKey: rand.Text(),
	}
	if want.alert != nil {
		vm.Alert = want.alert(l, listed, view)
	}
	if listed.Room == nil {
		price := sc.Prices[domain.GeneralTier]
		vm.General = &sitepage.GeneralAdmission{
			Price: l.Money(price, sc.Currency), Minor: strconv.FormatInt(price, 10), Free: strconv.Itoa(max(0, view.Free)), Quantity: want.quantity,
		}
		return vm, nil
	}
	layout := listed.Room.Layout
	chosen := make(map[string]bool, len(want.seats))
	for _, no := range want.seats {
		chosen[no] = true
	}
	room := component.NewSeatMap(l, component.SeatMapInput{
		Layout: layout, States: stateWords(listed.Room, view, want.gone), Chosen: chosen, Prices: sc.Prices, Currency: sc.Currency,
	})
	vm.Map, vm.Kinds = &room, component.Kinds(layout)
	vm.Legend = component.NewLegend(l, layout, sc.Prices, sc.Currency)
	vm.Tiers = vm.Legend
	return vm, nil
}

// mostSeats is how many seats this visitor can still take in one go.
func mostSeats(sc *domain.Screening, view service.SeatView) int {
	most := domain.MaxSeatsPerHold
	if sc.Limit > 0 {
		most = min(most, sc.Limit-view.Live)
	}
	return max(most, 1)
}

// stateWords names each seat's state. A seat that a refusal named is not free, even where the live map has not
// heard of it yet.
func stateWords(room *service.Room, view service.SeatView, gone []string) []string {
	words := make([]string, len(view.States))
	for i, s := range view.States {
		words[i] = s.Word()
	}
	for _, no := range gone {
		if i, ok := room.Index[no]; ok && i < len(words) && words[i] == "free" {
			words[i] = "held"
		}
	}
	for _, i := range view.Mine {
		words[i] = "mine"
	}
	return words
}
