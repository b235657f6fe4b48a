package seatplan_test

import (
	"testing"

	"usher/service/domain"
	"usher/service/seatplan"
)

func FuzzParse(f *testing.F) {
	for _, name := range []string{"lantern.json", "doubled.json", "grid-semicolon.csv", "blocks.csv"} {
		f.Add(mustRead(f, name), false)
	}
	f.Add([]byte(control), true)
	f.Add([]byte("row,seat\nA,1\nA,\"2"), false)
	f.Add([]byte("{\"zones\":[{\"rows\":[{\"seats\":[{}]}]}]}"), false)
	f.Add([]byte("\ufeffrow;seat;x;y\r\nA;1;1e308;-1e308\r\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, newIDs bool) {
		layout, _, err := seatplan.Parse("fuzz", data, seatplan.Options{NewIDs: newIDs, MaxBytes: 1 << 16, MaxSeats: 200})
		if err == nil {
			checkLayout(t, layout)
			return
		}
		if kind := domain.KindOf(err); layout != nil || kind != domain.KindInvalid && kind != domain.KindTooLarge {
			t.Errorf("got layout %v and error %v of kind %s", layout, err, kind)
		}
	})
}
