package sitepage

import "usher/web/layout"

// MoviePage is one movie with all its times: GET /movies/{id}.
type MoviePage struct {
	layout.Page
	Name      string
	OtherName string // title in the other language, may be empty
	Meta      string
	Synopsis  string
	Poster    string
	Days      []DayTimes
}

// DayTimes is one day of a movie's times.
type DayTimes struct {
	Title string
	Times []TimeButton
}

func currentDate(current bool) string {
	if current {
		return "date"
	}
	return "false"
}

// loading lets the first posters come at once and the others when they are near.
func loading(i int) string {
	if i < 3 {
		return "eager"
	}
	return "lazy"
}
