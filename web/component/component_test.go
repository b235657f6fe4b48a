package component_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
)

func TestAvailability(t *testing.T) {
	t.Parallel()
	l := i18n.New(i18n.English)
	for _, c := range []struct {
		free, capacity int
		look, words    string
	}{
		{0, 100, "sold_out", "Sold out"},
		{-1, 100, "sold_out", "Sold out"},
		{1, 100, "few", "1 seat left"},
		{8, 8, "few", "8 seats left"},
		{12, 100, "few", "Few seats left"},
		{13, 100, "open", "Filling up"},
		{34, 100, "open", "Seats free"},
	} {
		look, words := component.Availability(l, c.free, c.capacity)
		if look != c.look || words != c.words {
			t.Errorf("%d of %d: got %s %q, want %s %q", c.free, c.capacity, look, words, c.look, c.words)
		}
	}
}

func TestBookingGroups(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"": "", "ABCD": "ABCD", "ABCDE": "ABCD E", "ABCDEFGH": "ABCD EFGH"} {
		if got := strings.Join(component.BookingGroups(code), " "); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}

func TestSeatMapTicksOnlyWhatIsFree(t *testing.T) {
	t.Parallel()
	layout := &domain.SeatLayout{ID: "x", Tiers: []domain.SeatTier{{Name: "b"}}, Seats: []domain.Seat{
		{No: "2", Row: "A", Label: "2", X: 2, Tier: "b"}, {No: "1", Row: "A", Label: "1", X: 1, Tier: "z"}, {No: "3", Row: "A", Label: "3", X: 3, Tier: "b"},
	}}
	m := component.NewSeatMap(i18n.New(i18n.English), component.SeatMapInput{
		Layout: layout, States: []string{"free", "sold"}, Chosen: map[string]bool{"1": true, "2": true, "3": true},
		Prices: map[string]int64{"b": 900}, Currency: "EUR",
	})
	type seat struct {
		No, State, Tier   string
		Checked, Disabled bool
	}
	var got []seat
	for _, s := range m.Rows[0].Seats {
		got = append(got, seat{s.No, s.State, s.Tier, s.Checked, s.Disabled})
	}
	want := []seat{{"1", "sold", "1", false, true}, {"2", "free", "0", true, false}, {"3", "blocked", "0", false, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("seats from left to right (-want +got):\n%s", diff)
	}
}

func TestLegendHasOnlyPricedTiers(t *testing.T) {
	t.Parallel()
	layout := &domain.SeatLayout{Tiers: []domain.SeatTier{{Name: "standard"}, {Name: "unused"}}, Seats: []domain.Seat{{No: "1", Tier: "extra"}}}
	legend := component.NewLegend(i18n.New(i18n.English), layout, map[string]int64{"standard": 900, "extra": 1100}, "EUR")
	var got []string
	for _, tier := range legend {
		got = append(got, tier.Index+" "+tier.Name+" "+tier.Price+" "+tier.Minor)
	}
	if diff := cmp.Diff([]string{"0 Standard €9.00 900", "2 extra €11.00 1100"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSaleNotice(t *testing.T) {
	t.Parallel()
	l, now := i18n.New(i18n.English), time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	base := domain.Screening{Status: domain.ScreeningOnSale, OpensAt: now.Add(-time.Hour), ClosesAt: now.Add(time.Hour)}
	for want, change := range map[string]func(*domain.Screening){
		"":                                       func(*domain.Screening) {},
		"The sale begins Friday, 5 June, 13:00.": func(s *domain.Screening) { s.OpensAt = now.Add(time.Hour) },
		"The sale for this screening has ended.": func(s *domain.Screening) { s.ClosesAt = now },
		"The sale is paused for a moment.":       func(s *domain.Screening) { s.Status = domain.ScreeningPaused },
		"This screening was cancelled.":          func(s *domain.Screening) { s.Status = domain.ScreeningCancelled },
		"This screening is not on sale yet.":     func(s *domain.Screening) { s.Status = domain.ScreeningDraft },
	} {
		s := base
		change(&s)
		if got := component.SaleNotice(l, &s, now, time.UTC); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	zh := i18n.New(i18n.Chinese)
	if got, want := component.ErrorText(zh, domain.ErrSoldOut.Because(errors.New("x"))), "没有足够的空座。"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := component.ErrorText(zh, domain.ErrVersionConflict); got != domain.ErrVersionConflict.Message {
		t.Errorf("got %q, want the error's own message", got)
	}
	if got := component.ErrorText(zh, errors.New("secret detail")); strings.Contains(got, "secret") {
		t.Errorf("an inner error is shown: %q", got)
	}
}

func TestSeatLines(t *testing.T) {
	t.Parallel()
	l := i18n.New(i18n.English)
	layout := &domain.SeatLayout{Seats: []domain.Seat{{No: "A1", Zone: "Balcony", Row: "A", Label: "1"}}}
	order := &domain.Order{Currency: "EUR", AmountMinor: 1900, Quantity: 2, Seats: []domain.SeatRef{{No: "A1", Tier: "vip", PriceMinor: 900}, {No: "gone", Tier: "x", PriceMinor: 1000}}}
	want := []component.SeatLine{{Seat: "Balcony, row A, seat 1", Tier: "VIP", Price: "€9.00"}, {Seat: "gone", Tier: "x", Price: "€10.00"}}
	if diff := cmp.Diff(want, component.SeatLines(l, layout, order)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	order.Seats = nil
	want = []component.SeatLine{{Seat: "2 tickets", Tier: "General admission", Price: "€19.00"}}
	if diff := cmp.Diff(want, component.SeatLines(l, nil, order)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
