package demo

import (
	"fmt"
	"time"

	"usher/service/domain"
)

// Data is the whole demonstration cinema. Layouts[i] is the plan of Auditoriums[i]; the last auditorium has
// none, its places are counted.
type Data struct {
	Cinema      domain.Cinema
	Auditoriums []domain.Auditorium
	Layouts     []domain.SeatLayout
	Movies      []domain.Movie
	Screenings  []domain.Screening
}

// loft is the room without numbered seats.
const (
	loftName     = "Loft"
	loftCapacity = 150
)

// Build draws up the cinema with screenings from yesterday evening to six days ahead of now. Every id comes
// from newID, which must not repeat itself. It fails where the zone of the cinema is not known to the system.
func Build(now time.Time, newID func() string) (Data, error) {
	data := Data{
		Cinema:  domain.Cinema{ID: newID(), Name: "Usher Picture House", Zone: "Europe/Berlin", Currency: "EUR"},
		Layouts: Layouts(),
		Movies:  Movies(),
	}
	zone, err := time.LoadLocation(data.Cinema.Zone)
	if err != nil {
		return Data{}, fmt.Errorf("load the zone of the demonstration cinema: %w", err)
	}
	for i := range data.Movies {
		data.Movies[i].ID = newID()
	}
	for i := range data.Layouts {
		layout := &data.Layouts[i]
		layout.ID, layout.AuditoriumID = newID(), newID()
		data.Auditoriums = append(data.Auditoriums, domain.Auditorium{ID: layout.AuditoriumID, CinemaID: data.Cinema.ID, Name: layout.Name})
	}
	data.Auditoriums = append(data.Auditoriums, domain.Auditorium{ID: newID(), CinemaID: data.Cinema.ID, Name: loftName})

	p := programme{data: &data, now: now, zone: zone, newID: newID}
	p.week()
	return data, nil
}
