package site

import (
	"encoding/json"
	"errors"
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
	"usher/web/component"
	"usher/web/i18n"
)

// Holds takes seats by form.
type Holds struct {
	frame     *frame.Frame
	seats     *Seats
	holds     *service.Holds
	newcomers *newcomers
	secure    bool
}

// Place takes the chosen seats and leads to the order. A visitor without a session becomes a guest with it. When
// nothing was taken the seats are shown again, with the reason and with what is still free of the choice.
func (h *Holds) Place(c *gin.Context) {
	id := c.Param("id")
	frame.Here(c, "/screenings/"+id)
	req, err := holdForm(c)
	if err != nil {
		response.Error(c, err)
		return
	}
	frame.Here(c, retryURL(id, req.Seats))
	if nothingChosen(req) {
		h.refuse(c, req, domain.ErrNoSeats)
		return
	}
	if _, err := h.seats.listed(c.Request.Context(), id); err != nil {
		response.Error(c, err)
		return
	}
	if req.UserID, err = h.newcomers.user(c, req); err != nil {
		response.Error(c, err)
		return
	}

	placed, err := h.holds.Place(c.Request.Context(), req)
	if err != nil {
		h.refuse(c, req, err)
		return
	}

	h.keepReceipt(c, placed)
	response.Redirect(c, orderURL(placed.HoldID))
}

// holdForm reads the form: chosen seats, or the best of a number, or a quantity. What does not read as a number is
// none.
func holdForm(c *gin.Context) (service.HoldRequest, error) {
	if err := request.ParseForm(c.Request); err != nil {
		return service.HoldRequest{}, err
	}
	req := service.HoldRequest{
		ScreeningID: c.Param("id"), Key: request.Key(c), Lang: request.Language(c.Request.Context()), Seats: c.PostFormArray("seats"),
	}
	if best, err := strconv.Atoi(request.Form(c, "best")); err == nil {
		req.Best = &service.BestRequest{Count: best, Tier: request.Form(c, "tier")}
	}
	if quantity, err := strconv.Atoi(request.Form(c, "quantity")); err == nil {
		req.Quantity = quantity
	}
	if req.Key == "" {
		return req, domain.ErrKeyMissing
	}
	return req, nil
}

func nothingChosen(req service.HoldRequest) bool {
	return len(req.Seats) == 0 && req.Best == nil && req.Quantity == 0
}

// retryURL shows the seats with the choice ticked.
func retryURL(screeningID string, seats []string) string {
	path := "/screenings/" + url.PathEscape(screeningID)
	if len(seats) == 0 {
		return path
	}
	return path + "?" + url.Values{"seats": firstOf(seats)}.Encode()
}

// refuse shows the seats again where choosing anew helps; everything else is a page of its own.
func (h *Holds) refuse(c *gin.Context, req service.HoldRequest, err error) {
	var e *domain.Error
	if !errors.As(err, &e) {
		response.Error(c, err)
		return
	}
	switch e.Kind {
	case domain.KindInvalid, domain.KindConflict, domain.KindGone:
	default:
		response.Error(c, err)
		return
	}
	p := response.Prepare(c, err)
	want := choice{seats: req.Seats, quantity: req.Quantity, alert: func(l *i18n.Localizer, listed *service.Listed, view service.SeatView) *component.Alert {
		return refusalAlert(l, listed, view, e)
	}}
	if errors.Is(err, domain.ErrSeatTaken) {
		want.gone = namesOf(e)
	}
	h.seats.render(c, p.Status, want)
}

// namesOf returns the seats that a refusal names.
func namesOf(e *domain.Error) []string {
	for _, field := range []string{"taken", "seats"} {
		if nos, ok := e.Fields[field].([]string); ok {
			return nos
		}
	}
	return nil
}

// refusalAlert says why nothing was taken, with the names of the seats that are concerned.
func refusalAlert(l *i18n.Localizer, listed *service.Listed, view service.SeatView, e *domain.Error) *component.Alert {
	var names []string
	own := true
	for _, no := range namesOf(e) {
		if i, ok := indexOf(listed, no); ok {
			names = append(names, component.SeatName(l, &listed.Room.Layout.Seats[i]))
			own = own && slices.Contains(view.Mine, i)
		}
	}
	switch {
	case !errors.Is(e, domain.ErrSeatTaken) || len(names) == 0:
		return &component.Alert{Kind: "warning", Text: component.ErrorText(l, e), Items: names}
	case own:
		return &component.Alert{Kind: "info", Text: l.T("seatmap.own"), Items: names}
	default:
		return component.SeatsGone(l, names)
	}
}

func indexOf(listed *service.Listed, no string) (int, bool) {
	if listed.Room == nil {
		return 0, false
	}
	i, ok := listed.Room.Index[no]
	return i, ok
}

const (
	receiptCookie = "usher_receipt"
	receiptLife   = 24 * 60 * 60 // seconds
)

// keepReceipt lets the browser keep the hold's receipt for the order's page: if the hold is ever lost, it is what
// tells "lost" from "never was".
func (h *Holds) keepReceipt(c *gin.Context, placed service.Placed) {
	var answer service.HoldAnswer
	if err := json.Unmarshal(placed.Body, &answer); err != nil || answer.Receipt == "" {
		return
	}
	http.SetCookie(c.Writer, &http.Cookie{
		Name: receiptCookie, Value: answer.Receipt, Path: orderURL(placed.HoldID), MaxAge: receiptLife, Secure: h.secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
}
