package service_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
)

func (d *till) user(kind domain.UserKind, role domain.Role) domain.User {
	d.t.Helper()
	u := domain.User{ID: repotest.ID(), Kind: kind, Role: role, CreatedAt: repotest.Now}
	if kind != domain.UserGuest {
		u.Email = u.ID + "@example.org"
	}
	d.ok("add a user", d.store.InsertUser(context.Background(), u))
	return u
}

func (d *till) finds(s *service.Sessions, token string) domain.Session {
	d.t.Helper()
	got, found, err := s.Find(context.Background(), token)
	d.ok("find the session", err)
	if found != (got.UserID != "") {
		d.t.Fatalf("found is %v with %+v", found, got)
	}
	return got
}

func TestSessionsLastTheirLife(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		for _, c := range []struct {
			kind domain.UserKind
			role domain.Role
			life time.Duration
		}{
			{domain.UserGuest, domain.RoleNone, 12 * time.Hour}, {domain.UserAccount, domain.RoleNone, 12 * time.Hour}, {domain.UserStaff, domain.RoleManager, 8 * time.Hour},
		} {
			d := &till{t: t, store: s}
			d.at(0)
			sessions := service.NewSessions(s, d.clock())
			u := d.user(c.kind, c.role)
			token, expires, err := sessions.Create(context.Background(), u)
			d.ok("create", err)
			d.same("life", expires, repotest.Now.Add(c.life))
			want := domain.Session{UserID: u.ID, Kind: c.kind, Role: c.role}
			for _, after := range []time.Duration{0, time.Second, 10 * time.Second, c.life - time.Second} {
				d.at(after)
				d.same(fmt.Sprintf("%s after %s", c.kind, after), d.finds(sessions, token), want)
			}
			d.at(c.life) // a moment ago it was found and remembered
			d.same("after its life", d.finds(sessions, token), domain.Session{})
			n, err := sessions.Prune(context.Background(), 10)
			d.ok("prune", err)
			d.same("pruned", n, int64(1))
		}
	})
}

func TestAnEndedSessionIsOverHereAtOnceAndElsewhereSoon(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := &till{t: t, store: s}
		d.at(0)
		here, elsewhere := service.NewSessions(s, d.clock()), service.NewSessions(s, d.clock())
		u := d.user(domain.UserGuest, domain.RoleNone)
		token, _, err := here.Create(context.Background(), u)
		d.ok("create", err)
		other, _, err := here.Create(context.Background(), u)
		d.ok("create another", err)
		d.same("here", d.finds(here, token).UserID, u.ID)
		d.same("elsewhere", d.finds(elsewhere, token).UserID, u.ID)
		for range 2 {
			d.ok("end", here.End(context.Background(), token))
		}
		d.same("here after the end", d.finds(here, token), domain.Session{})
		d.at(5 * time.Second)
		d.same("elsewhere after five seconds", d.finds(elsewhere, token), domain.Session{})
		d.same("here after five seconds", d.finds(here, token), domain.Session{})
		d.same("the other session", d.finds(here, other).UserID, u.ID)
	})
}

func TestTheRoleOfStaffIsTheOneInTheLedger(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := &till{t: t, store: s}
		d.at(0)
		sessions := service.NewSessions(s, d.clock())
		then := d.user(domain.UserStaff, domain.RoleOperator)
		then.Role = domain.RoleAdmin // what it was at sign-in
		token, _, err := sessions.Create(context.Background(), then)
		d.ok("create", err)
		d.same("role", d.finds(sessions, token).Role, domain.RoleOperator)

		for _, former := range []domain.User{d.user(domain.UserAccount, domain.RoleNone), {ID: repotest.ID()}} {
			former.Kind, former.Role = domain.UserStaff, domain.RoleAdmin
			token, _, err := sessions.Create(context.Background(), former)
			d.ok("create", err)
			d.same("no longer staff", d.finds(sessions, token), domain.Session{})
		}
	})
}

func TestTokensAreNotInTheLedger(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := &till{t: t, store: s}
		d.at(0)
		sessions := service.NewSessions(s, d.clock())
		token, _, err := sessions.Create(context.Background(), d.user(domain.UserGuest, domain.RoleNone))
		d.ok("create", err)
		_, found, err := s.Session(context.Background(), token, repotest.Now)
		d.ok("look for the token itself", err)
		d.same("found", found, false)
		for _, junk := range []string{"", "x", token + "x", token[:42], token[1:] + "A"} {
			d.same("junk "+junk, d.finds(sessions, junk), domain.Session{})
			d.ok("end junk", sessions.End(context.Background(), junk))
		}
		d.same("the real one", d.finds(sessions, token).Kind, domain.UserGuest)
	})
}

func TestAFoundSessionCostsNoQuery(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := &till{t: t, store: s}
		d.at(0)
		sessions := service.NewSessions(s, d.clock())
		u := d.user(domain.UserGuest, domain.RoleNone)
		token, _, err := sessions.Create(context.Background(), u)
		d.ok("create", err)
		d.finds(sessions, token)
		gone, cancel := context.WithCancel(context.Background())
		cancel() // a query would fail with it
		got, found, err := sessions.Find(gone, token)
		if err != nil || !found || got.UserID != u.ID {
			t.Fatalf("got %+v, %v, %v, want what is remembered", got, found, err)
		}
		d.at(5 * time.Second)
		if _, _, err := sessions.Find(gone, token); err == nil {
			t.Fatal("after five seconds nobody asked the ledger")
		}
	})
}

func TestSessionMemoryIsBoundedAndForgetsTheLeastUsed(t *testing.T) {
	t.Parallel()
	m, now := service.NewSessionMemory(3), repotest.Now
	put := func(token string) bool {
		return m.Put(token, domain.Session{UserID: token}, now, now.Add(time.Hour))
	}
	for _, token := range []string{"a", "b", "c"} {
		put(token)
	}
	m.Get("a", now)
	put("d")
	for token, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, known := m.Get(token, now); known != want {
			t.Errorf("%s is known: %v, want %v", token, known, want)
		}
	}
	m.End("a", now)
	if put("a") {
		t.Error("a session that has ended was put back by somebody who had read it before")
	}
	if s, known := m.Get("a", now); !known || s.UserID != "" {
		t.Errorf("the ended one: %+v, %v", s, known)
	}
	if m.Len() != 3 {
		t.Errorf("remembers %d, want 3", m.Len())
	}
	m.Put("e", domain.Session{UserID: "e"}, now, now.Add(time.Second))
	if _, known := m.Get("e", now.Add(time.Second)); known {
		t.Error("remembered beyond its deadline")
	}
}
