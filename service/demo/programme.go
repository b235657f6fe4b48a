package demo

import (
	"time"

	"usher/service/domain"
)

const (
	daysAhead = 6
	perDay    = 4                // screenings in a numbered room
	turnover  = 20 * time.Minute // between two films: advertisements, cleaning
	raster    = 15 * time.Minute // of starting times
	onSaleFor = 7 * 24 * time.Hour
	holdLife  = 5 * time.Minute
	seatLimit = 6
)

// programme fills the week.
type programme struct {
	data  *Data
	now   time.Time
	zone  *time.Location
	newID func() string
}

// opening gives each numbered room's first start, by minutes after 14:30, so that the crowds come apart.
var opening = []int{0, 30, 60}

// prices gives the tiers' prices in minor units.
var prices = map[string]int64{
	tierFront: 900, tierStandard: 1200, tierComfort: 1450, tierBalcony: 1350, tierLove: 1600, domain.GeneralTier: 800,
}

// week adds the screenings day by day. Yesterday only the evening is left of.
func (p *programme) week() {
	today := p.now.In(p.zone)
	for offset := -1; offset <= daysAhead; offset++ {
		day := func(hour, minute int) time.Time {
			return time.Date(today.Year(), today.Month(), today.Day()+offset, hour, minute, 0, 0, p.zone)
		}
		var from time.Time
		if offset < 0 {
			from = day(18, 0)
		}
		shift := int(day(12, 0).Unix() / 86_400)
		for room := range p.data.Layouts {
			p.roomDay(room, shift*5+room*perDay, day(14, 30+opening[room]), from, day(22, 45))
		}
		p.add(len(p.data.Layouts), p.movie(shift*5+perDay), day(20, 30))
	}
}

// roomDay adds one day of a numbered room: film after film in the order of the programme, each start on the
// raster. What would start before from is left out, what would start after latest ends the day.
func (p *programme) roomDay(room, first int, start, from, latest time.Time) {
	for slot := range perDay {
		if start.After(latest) {
			return
		}
		movie := p.movie(first + slot)
		if !start.Before(from) {
			p.add(room, movie, start)
		}
		start = start.Add(length(movie)).Add(raster - time.Second).Truncate(raster)
	}
}

func (p *programme) movie(n int) *domain.Movie { return &p.data.Movies[n%len(p.data.Movies)] }

// length is how long a film keeps its room.
func length(movie *domain.Movie) time.Duration {
	return time.Duration(movie.RuntimeMinutes)*time.Minute + turnover
}

// add adds one screening.
func (p *programme) add(room int, movie *domain.Movie, start time.Time) {
	start = start.UTC()
	s := domain.Screening{
		ID: p.newID(), MovieID: movie.ID, AuditoriumID: p.data.Auditoriums[room].ID, CinemaID: p.data.Cinema.ID,
		HoldMode: domain.HoldModeRedis, Settings: 1, Status: domain.ScreeningOnSale, Version: 1,
		StartsAt: start, EndsAt: start.Add(length(movie)), OpensAt: start.Add(-onSaleFor), ClosesAt: start,
		HoldLife: holdLife, Limit: seatLimit, Currency: p.data.Cinema.Currency,
		Prices: make(map[string]int64), CreatedAt: p.now.UTC(),
	}
	s.Partition = domain.PartitionOf(s.ID)
	if !p.now.Before(start) {
		s.Status = domain.ScreeningClosed
	}
	if room < len(p.data.Layouts) {
		layout := &p.data.Layouts[room]
		s.Kind, s.LayoutID, s.Capacity = domain.KindSeated, layout.ID, len(layout.Seats)
		for _, tier := range layout.Tiers {
			s.Prices[tier.Name] = prices[tier.Name]
		}
	} else {
		s.Kind, s.Capacity = domain.KindGeneral, loftCapacity
		s.Prices[domain.GeneralTier] = prices[domain.GeneralTier]
	}
	s.Remaining = s.Capacity
	p.data.Screenings = append(p.data.Screenings, s)
}
