package repo_test

import (
	"context"
	"strings"
	"testing"

	"usher/repo"
	"usher/repo/repotest"
)

func TestListsUseTheirIndex(t *testing.T) {
	t.Parallel()
	s := repotest.New(t)
	for _, list := range repo.Lists() {
		steps, err := s.Plan(context.Background(), list.Query, list.Args...)
		wantNil(t, "ask for the plan of "+list.Query, err)
		if plan := strings.Join(steps, "\n"); !strings.Contains(plan, "INDEX "+list.Index) {
			t.Errorf("the plan of\n%s\ndoes not use %s:\n%s", list.Query, list.Index, plan)
		}
	}
}
