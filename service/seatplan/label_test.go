package seatplan_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"usher/service/seatplan"
)

func TestCompareLabels(t *testing.T) {
	t.Parallel()
	want := []string{"1", "01", "2", "10", "16", "16 bis", "17", "A", "A1", "A01", "A2", "A10", "B", "B1", "Z", "A/1", "AA", "AA1", "ZZ"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, seatplan.CompareLabels)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestCompareLabelsIsAnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringMatching(`[A-C0-2 ä]{0,5}`)
		a, b, c := label.Draw(t, "a"), label.Draw(t, "b"), label.Draw(t, "c")
		ab, ba, bc, ac := seatplan.CompareLabels(a, b), seatplan.CompareLabels(b, a), seatplan.CompareLabels(b, c), seatplan.CompareLabels(a, c)
		if ab != -ba || (ab == 0) != (a == b) {
			t.Fatalf("%q and %q: got %d and %d", a, b, ab, ba)
		}
		if ab < 0 && bc < 0 && ac >= 0 {
			t.Fatalf("%q < %q < %q but the first and the last compare as %d", a, b, c, ac)
		}
	})
}
