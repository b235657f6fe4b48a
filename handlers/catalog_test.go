package handlers_test

import (
	"strings"
	"testing"
	"time"

	"usher/handlers/handlertest"
	"usher/repo/repotest"
	"usher/service/domain"
)

type listed struct {
	Items []struct {
		ID       string
		StartsAt string `json:"starts_at"`
	}
	NextCursor *string `json:"next_cursor"`
}

func (l listed) ids() string {
	var ids []string
	for _, i := range l.Items {
		ids = append(ids, i.ID)
	}
	return strings.Join(ids, ",")
}

func TestProgramme(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	cinema, movie := repotest.Cinema(t, h.Store), repotest.Movie(t, h.Store)
	at := func(starts time.Time, status domain.ScreeningStatus) *domain.Screening {
		return h.Screening(t, func(o *repotest.Opts) {
			o.CinemaID, o.MovieID, o.Starts, o.Status = cinema.ID, movie.ID, starts, status
		})
	}
	tonight := at(repotest.Now.Add(2*time.Hour), domain.ScreeningOnSale)
	late := at(time.Date(2031, 3, 15, 1, 30, 0, 0, time.UTC), domain.ScreeningClosed) // 02:30 in Berlin: still the 14th's programme
	tomorrow := at(repotest.Now.Add(26*time.Hour), domain.ScreeningPaused)
	at(repotest.Now.Add(-time.Hour), domain.ScreeningOnSale)
	draft := at(repotest.Now.Add(3*time.Hour), domain.ScreeningDraft)
	spring := h.Screening(t, func(o *repotest.Opts) {
		o.CinemaID, o.Starts = cinema.ID, time.Date(2031, 3, 31, 18, 0, 0, 0, time.UTC)
	})
	nobody := h.Nobody()

	for query, want := range map[string]string{
		"":                                      tonight.ID + "," + late.ID + "," + tomorrow.ID + "," + spring.ID,
		"?date=2031-03-14":                      tonight.ID + "," + late.ID,
		"?date=2031-03-15":                      tomorrow.ID,
		"?date=2031-03-13":                      "",
		"?movie_id=" + spring.MovieID:           spring.ID,
		"?movie_id=nothing":                     "",
		"?date=2031-03-31&movie_id=" + movie.ID: "",
	} {
		var got listed
		nobody.Get(t, "/api/v1/screenings"+query).Want(t, 200).JSON(t, &got)
		if got.ids() != want || got.NextCursor != nil {
			t.Errorf("%q: got %s next %v, want %s", query, got.ids(), got.NextCursor, want)
		}
	}
	var first, second listed
	nobody.Get(t, "/api/v1/screenings?limit=3").Want(t, 200).JSON(t, &first)
	if first.NextCursor == nil {
		t.Fatalf("no next page after %s", first.ids())
	}
	nobody.Get(t, "/api/v1/screenings?limit=3&cursor="+*first.NextCursor).Want(t, 200).JSON(t, &second)
	if first.ids()+","+second.ids() != tonight.ID+","+late.ID+","+tomorrow.ID+","+spring.ID {
		t.Errorf("pages %s and %s", first.ids(), second.ids())
	}

	var one map[string]any
	nobody.Get(t, "/api/v1/screenings/"+spring.ID).Want(t, 200).JSON(t, &one)
	for field, want := range map[string]any{
		"id": spring.ID, "movie_id": spring.MovieID, "title": "The Long Reel", "title_zh": "长卷", "cinema": "Lichtspiele", "kind": "seated", "status": "on_sale",
		"starts_at": "2031-03-31T20:00:00+02:00", "zone": "Europe/Berlin", "capacity": 30.0, "free": 30.0, "currency": "EUR", "on_sale": true, "hold_seconds": 600.0,
	} {
		if one[field] != want {
			t.Errorf("%s: got %v, want %v", field, one[field], want)
		}
	}
	h.Guest(t).Hold(t, spring.ID, "k1", `{"seats":["A1","A2"]}`).Want(t, 201)
	eventually(t, func() (bool, string) {
		a := nobody.Get(t, "/api/v1/screenings/"+spring.ID).Want(t, 200)
		return strings.Contains(string(a.Body), `"free":28`), string(a.Body)
	})

	handlertest.Run(t, []handlertest.Scenario{
		{Name: "movies", As: nobody, Call: get("/api/v1/movies?limit=1"), Status: 200, Contains: []string{`"items":[{"id":`, `"runtime_minutes":104`, `"next_cursor":"`}},
		{Name: "movie", As: nobody, Call: get("/api/v1/movies/" + movie.ID), Status: 200, Contains: []string{`"title_zh":"长卷"`}},
		{Name: "no movie", As: nobody, Call: get("/api/v1/movies/nothing"), Status: 404, Code: "not_found"},
		{Name: "no screening", As: nobody, Call: get("/api/v1/screenings/nothing"), Status: 404, Code: "not_found"},
		{Name: "draft", As: nobody, Call: get("/api/v1/screenings/" + draft.ID), Status: 404, Code: "not_found"},
		{Name: "draft's seats", As: nobody, Call: get("/api/v1/screenings/" + draft.ID + "/seats"), Status: 404, Code: "not_found"},
		{Name: "draft's events", As: nobody, Call: get("/api/v1/screenings/" + draft.ID + "/events"), Status: 404, Code: "not_found"},
		{Name: "no date", As: nobody, Call: get("/api/v1/screenings?date=14.3.2031"), Status: 422, Code: "invalid", Contains: []string{`"date":`}},
		{Name: "limit 0", As: nobody, Call: get("/api/v1/screenings?limit=0"), Status: 422, Code: "invalid", Contains: []string{`"limit":`}},
		{Name: "limit in words", As: nobody, Call: get("/api/v1/movies?limit=many"), Status: 422, Code: "invalid", Contains: []string{`"limit":`}},
		{Name: "limit 101", As: nobody, Call: get("/api/v1/screenings?limit=101"), Status: 422, Code: "invalid"},
	})
}

func get(path string) handlertest.Call { return handlertest.Call{Method: "GET", Path: path} }
