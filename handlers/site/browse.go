package site

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/sitepage"
)

// Browse shows the programme.
type Browse struct {
	frame   *frame.Frame
	catalog *service.Catalog
}

// Bounds of the programme.
const (
	daysShown     = 7
	pagesOfADay   = 5 // of the catalog's list, 100 screenings each
	pagesOfAMovie = 3
)

// listed are the states of a screening that the programme shows.
func listed() []domain.ScreeningStatus {
	return []domain.ScreeningStatus{domain.ScreeningOnSale, domain.ScreeningPaused, domain.ScreeningClosed}
}

// WhatsOn shows one day of the programme; ?date= names it, else it is today.
func (b *Browse) WhatsOn(c *gin.Context) {
	ctx, l := c.Request.Context(), b.frame.Words(c)
	home, err := b.frame.Home(ctx)
	if domain.KindOf(err) == domain.KindNotFound { // nothing is set up yet
		response.Page(c, http.StatusOK, sitepage.WhatsOn(sitepage.WhatsOnPage{Page: b.frame.Page(c)}))
		return
	}
	if err != nil {
		response.Error(c, err)
		return
	}
	from, to, err := b.catalog.Day(home.Cinema, c.Query("date"))
	if err != nil {
		response.Error(c, err)
		return
	}

	screenings, err := b.screenings(ctx, domain.ScreeningFilter{From: from, To: to, Statuses: listed()}, pagesOfADay)
	if err != nil {
		response.Error(c, err)
		return
	}

	vm := sitepage.WhatsOnPage{Page: b.frame.Page(c), DayTitle: l.Date(from, home.Location)}
	if vm.Days, err = b.days(l, home, from); err == nil {
		vm.Movies, err = b.cards(ctx, l, screenings)
	}
	if err != nil {
		response.Error(c, err)
		return
	}
	response.Page(c, http.StatusOK, sitepage.WhatsOn(vm))
}

// Movie shows one movie with its times to come.
func (b *Browse) Movie(c *gin.Context) {
	ctx, l := c.Request.Context(), b.frame.Words(c)
	movie, err := b.catalog.Movie(ctx, c.Param("id"))
	if err != nil {
		response.Error(c, err)
		return
	}

	screenings, err := b.screenings(ctx, domain.ScreeningFilter{From: b.frame.Now(), MovieID: movie.ID, Statuses: listed()}, pagesOfAMovie)
	if err != nil {
		response.Error(c, err)
		return
	}

	vm := sitepage.MoviePage{Page: b.frame.Page(c), Meta: component.MovieMeta(l, &movie), Poster: component.PosterURL(movie.Poster)}
	vm.Name, vm.Synopsis, vm.OtherName = component.MovieTexts(l, &movie)
	for i := range screenings {
		around, err := b.frame.Around(ctx, &screenings[i])
		if err != nil {
			response.Error(c, err)
			return
		}
		title := l.Day(screenings[i].StartsAt, b.frame.Now(), around.Cinema.Location)
		if n := len(vm.Days); n == 0 || vm.Days[n-1].Title != title {
			vm.Days = append(vm.Days, sitepage.DayTimes{Title: title})
		}
		day := &vm.Days[len(vm.Days)-1]
		day.Times = append(day.Times, b.timeButton(l, &screenings[i], around))
	}
	response.Page(c, http.StatusOK, sitepage.Movie(vm))
}

// screenings reads a list page by page, up to a bound that no cinema's day comes near.
func (b *Browse) screenings(ctx context.Context, f domain.ScreeningFilter, pages int) ([]domain.Screening, error) {
	var all []domain.Screening
	page := domain.Page{Limit: domain.PageMax}
	for range pages {
		list, err := b.catalog.Screenings(ctx, f, page)
		if err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if list.Next == "" {
			break
		}
		page.After = list.Next
	}
	return all, nil
}

// days lists the tabs from today on; shown is the beginning of the day on the page.
func (b *Browse) days(l *i18n.Localizer, home frame.Cinema, shown time.Time) ([]sitepage.DayTab, error) {
	today, _, err := b.catalog.Day(home.Cinema, "")
	if err != nil {
		return nil, err
	}
	tabs := make([]sitepage.DayTab, daysShown)
	for i := range tabs {
		day := today.AddDate(0, 0, i)
		tabs[i].URL = "/?date=" + day.Format(time.DateOnly)
		tabs[i].Name, tabs[i].Date = l.DayTab(day, today, home.Location)
		tabs[i].Current = day.Equal(shown)
	}
	return tabs, nil
}

// cards groups a day's screenings by movie, the movie that begins first at the top.
func (b *Browse) cards(ctx context.Context, l *i18n.Localizer, screenings []domain.Screening) ([]sitepage.MovieCard, error) {
	var cards []sitepage.MovieCard
	at := map[string]int{}
	for i := range screenings {
		sc := &screenings[i]
		around, err := b.frame.Around(ctx, sc)
		if err != nil {
			return nil, err
		}
		n, known := at[sc.MovieID]
		if !known {
			n = len(cards)
			at[sc.MovieID] = n
			title, synopsis, _ := component.MovieTexts(l, &around.Movie)
			cards = append(cards, sitepage.MovieCard{
				URL: "/movies/" + sc.MovieID, Title: title, Meta: component.MovieMeta(l, &around.Movie), Synopsis: synopsis,
				Poster: component.PosterURL(around.Movie.Poster),
			})
		}
		cards[n].Times = append(cards[n].Times, b.timeButton(l, sc, around))
	}
	return cards, nil
}

// timeButton leads to the seats. What cannot be bought is shown and cannot be pressed; a paused sale can be looked
// at, since it goes on.
func (b *Browse) timeButton(l *i18n.Localizer, sc *domain.Screening, around frame.Shown) sitepage.TimeButton {
	zone := around.Cinema.Location
	t := sitepage.TimeButton{
		URL: "/screenings/" + sc.ID, Time: l.Time(sc.StartsAt, zone), DateTime: sc.StartsAt.In(zone).Format(time.RFC3339), Auditorium: around.Auditorium,
	}
	t.Look, t.Words = component.Availability(l, sc.Remaining, sc.Capacity)
	switch {
	case sc.OnSale(b.frame.Now()):
		if sc.Remaining <= 0 {
			t.URL = ""
		}
	case sc.Status == domain.ScreeningPaused:
		_, t.Words = component.ScreeningWord(l, sc.Status)
		t.Look = "closed"
	default:
		t.URL, t.Look, t.Words = "", "closed", l.T("free.closed")
	}
	return t
}
