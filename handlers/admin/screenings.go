package admin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/adminpage"
	"usher/web/component"
	"usher/web/i18n"
)

// Screenings shows screenings and changes their sale.
type Screenings struct {
	frame   *frame.Frame
	catalog *service.Catalog
	feed    *service.SeatFeed
	sale    *service.Sale
	rebuild *service.Rebuild
	owners  Owners
}

const screeningsURL = "/staff/screenings"

// statuses lists the states of a screening in the order of the filter.
func statuses() []domain.ScreeningStatus {
	return []domain.ScreeningStatus{
		domain.ScreeningDraft, domain.ScreeningOnSale, domain.ScreeningPaused, domain.ScreeningClosed, domain.ScreeningCancelled,
	}
}

// List shows screenings by day and status; without a day, those from today on.
func (h *Screenings) List(c *gin.Context) {
	ctx, l := c.Request.Context(), h.frame.Words(c)
	date, status := c.Query("date"), domain.ScreeningStatus(c.Query("status"))
	filter, err := h.filter(ctx, date, status)
	if err != nil {
		response.Error(c, err)
		return
	}
	page, err := request.Page(c)
	if err != nil {
		response.Error(c, err)
		return
	}

	list, err := h.catalog.Screenings(ctx, filter, page)
	if err != nil {
		response.Error(c, err)
		return
	}

	vm := adminpage.ScreeningsPage{Page: h.frame.Page(c), Date: date, Statuses: statusOptions(l, status), Filtered: date != "" || status != ""}
	for i := range list.Items {
		row, err := h.row(ctx, l, &list.Items[i])
		if err != nil {
			response.Error(c, err)
			return
		}
		vm.Rows = append(vm.Rows, row)
	}
	if list.Next != "" {
		query := url.Values{"date": {date}, "status": {string(status)}, "cursor": {list.Next}}
		vm.NextURL = screeningsURL + "?" + query.Encode()
	}
	response.Page(c, http.StatusOK, adminpage.Screenings(vm))
}

func (h *Screenings) filter(ctx context.Context, date string, status domain.ScreeningStatus) (domain.ScreeningFilter, error) {
	var f domain.ScreeningFilter
	if status != "" {
		if !slices.Contains(statuses(), status) {
			return f, domain.ErrInvalid.With("status", "There is no such status.")
		}
		f.Statuses = []domain.ScreeningStatus{status}
	}
	home, err := h.frame.Home(ctx)
	if domain.KindOf(err) == domain.KindNotFound { // nothing is set up yet, so there is nothing to narrow
		return f, nil
	}
	if err != nil {
		return f, err
	}
	from, to, err := h.catalog.Day(home.Cinema, date)
	if err != nil {
		return f, err
	}
	f.From = from
	if date != "" {
		f.To = to
	}
	return f, nil
}

func statusOptions(l *i18n.Localizer, selected domain.ScreeningStatus) []adminpage.Option {
	options := []adminpage.Option{{Label: l.T("list.all"), Selected: selected == ""}}
	for _, s := range statuses() {
		_, word := component.ScreeningWord(l, s)
		options = append(options, adminpage.Option{Value: string(s), Label: word, Selected: s == selected})
	}
	return options
}

func (h *Screenings) row(ctx context.Context, l *i18n.Localizer, sc *domain.Screening) (adminpage.ScreeningRow, error) {
	around, err := h.frame.Around(ctx, sc)
	if err != nil {
		return adminpage.ScreeningRow{}, err
	}
	zone := around.Cinema.Location
	title, _, _ := component.MovieTexts(l, &around.Movie)
	row := adminpage.ScreeningRow{
		URL: screeningURL(sc.ID), Title: title, Date: l.Weekday(sc.StartsAt, zone) + " " + l.ShortDate(sc.StartsAt, zone),
		Time: l.Time(sc.StartsAt, zone), Zone: sc.StartsAt.In(zone).Format("MST"), Auditorium: around.Auditorium,
		Free: strconv.Itoa(sc.Remaining), Capacity: strconv.Itoa(sc.Capacity), Share: strconv.Itoa(share(sc)),
		Epoch: strconv.FormatInt(sc.Epoch, 10), HoldMode: l.T("hold_mode." + string(sc.HoldMode)),
	}
	row.Look, row.Status = component.ScreeningWord(l, sc.Status)
	return row, nil
}

func share(sc *domain.Screening) int {
	if sc.Capacity == 0 {
		return 0
	}
	return 100 * (sc.Capacity - sc.Remaining) / sc.Capacity
}

func screeningURL(id string) string { return screeningsURL + "/" + url.PathEscape(id) }
