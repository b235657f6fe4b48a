package holdstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// TestBigNumbersComeBackUnchanged (BC-29): ids and amounts beyond 2^53 pass through Lua as text.
func TestBigNumbersComeBackUnchanged(t *testing.T) {
	t.Parallel()
	const price = 9_007_199_254_740_993 // 2^53 + 1
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		for i, user := range []string{"9007199254740993", "15947634569000323", "1e5"} {
			a := holdstoretest.Hold(f.sc, user, i)
			a.AmountMinor, a.Detail.Seats[0].PriceMinor = price, price
			f.place(t, a)
			entries, err := s.ReadNew(t.Context(), f.sc.Partition, "c", 10, 0)
			if err != nil || len(entries) == 0 {
				t.Fatal(entries, err)
			}
			e := entries[len(entries)-1]
			if e.Broken != nil || e.Event.UserID != user || e.Event.AmountMinor != price || e.Event.Detail.Seats[0].PriceMinor != price {
				t.Errorf("event of user %s: %+v", user, e)
			}
			record, found, err := s.RecordOf(t.Context(), f.sc.Partition, f.sc.ID, a.HoldID)
			if !found || err != nil || record.UserID != user || record.AmountMinor != price {
				t.Errorf("record of user %s: %+v, %v, %v", user, record, found, err)
			}
		}
		f.givenBack(t, holdstore.HoldArgs{HoldID: "nobody", Attempt: 1}, 0)
		for key, value := range f.dump(t) {
			fields, ok := value.(map[string]string)
			for field, text := range fields {
				if ok && strings.Contains(text, "e+") {
					t.Errorf("%s %s is in exponent form: %s", key, field, text)
				}
			}
		}
	})
}

// TestEmptyListsStayLists (BC-29): nothing held, an empty house, and an empty field between full ones.
func TestEmptyListsStayLists(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 3)
		snap := f.snapshot(t)
		if snap.Owners == nil || snap.Holds == nil || snap.Users == nil || len(snap.Owners)+len(snap.Holds)+len(snap.Users)+len(snap.InFlight) != 0 {
			t.Errorf("a house with nothing held: %+v", snap)
		}
		empty := warm(t, s, 0, func(sc *domain.Screening) { sc.Kind = domain.KindSeated; sc.Capacity = 0 })
		if got := empty.snapshot(t); got.Map != "" || got.Meta.Free != 0 {
			t.Errorf("an empty house: %+v", got)
		}
		empty.refused(t, holdstoretest.Hold(empty.sc, "u", 0), domain.ErrNotWarmed)

		a := holdstoretest.Hold(f.sc, "u", 1)
		a.Detail.Lang, a.Detail.Currency, a.Detail.Answer = "", "", ""
		f.place(t, a)
		got, err := s.HoldSeats(t.Context(), a)
		if diff := cmp.Diff(holdstore.HoldResult{Repeat: true, HoldID: a.HoldID}, got); diff != "" || err != nil {
			t.Errorf("an empty first answer: %v (-want +got):\n%s", err, diff)
		}
		entries, err := s.ReadNew(t.Context(), f.sc.Partition, "c", 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		last := entries[len(entries)-1]
		if diff := cmp.Diff(a.Detail, last.Event.Detail); diff != "" || last.Broken != nil {
			t.Errorf("detail: %v (-want +got):\n%s", last.Broken, diff)
		}
		answer := holdstoretest.Hold(f.sc, "u", 2)
		answer.Detail.Answer = "a|b|{}|[]\n\"é\""
		f.place(t, answer)
		if got, err := s.HoldSeats(t.Context(), answer); got.Answer != answer.Detail.Answer || err != nil {
			t.Errorf("an answer with separators: got %q, %v", got.Answer, err)
		}
	})
}

func TestRecordOf(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		a := holdstoretest.Hold(f.sc, "u", 2, 4)
		res := f.place(t, a)
		got, found, err := s.RecordOf(t.Context(), f.sc.Partition, f.sc.ID, a.HoldID)
		want := domain.HoldRecord{
			HoldID: a.HoldID, State: domain.SeatHeld, UserID: "u", ExpiresAt: a.ExpiresAt, Quantity: 2, AmountMinor: 2500, Attempt: 1,
			Seats: []int{2, 4}, StreamID: res.StreamID,
		}
		if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
			t.Errorf("record: %v, %v (-want +got):\n%s", found, err, diff)
		}
		if _, found, err := s.RecordOf(t.Context(), f.sc.Partition, f.sc.ID, "nobody"); found || err != nil {
			t.Errorf("record of an unknown hold: %v, %v", found, err)
		}
		f.set(t, f.k.Holds, a.HoldID, "1|h|u|soon|2|2500|1|2,4|1-1")
		if _, found, err := s.RecordOf(t.Context(), f.sc.Partition, f.sc.ID, a.HoldID); found || !errors.Is(err, domain.ErrScript) {
			t.Errorf("a broken record: %v, %v", found, err)
		}
		if _, err := s.Snapshot(t.Context(), f.sc.Partition, f.sc.ID); !errors.Is(err, domain.ErrScript) {
			t.Errorf("a snapshot with a broken record: %v", err)
		}
	})
}
