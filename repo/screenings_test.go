package repo_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo/repotest"
)

func TestScreeningComesBackAsItWas(t *testing.T) {
	t.Parallel()
	s := repotest.New(t)
	want := repotest.Screening(t, s)
	got, err := s.Screening(context.Background(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
