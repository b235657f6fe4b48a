package repo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func TestUsers(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		staff := domain.User{
			ID: "s1", Kind: domain.UserStaff, Email: "ida@example.test", Name: "Ida", PasswordHash: "$argon2id$…",
			Role: domain.RoleManager, CreatedAt: repotest.Now,
		}
		guests := []domain.User{
			{ID: "g1", Kind: domain.UserGuest, CreatedAt: repotest.Now}, {ID: "g2", Kind: domain.UserGuest, CreatedAt: repotest.Now},
		}
		n, err := s.CountStaff(ctx)
		wantNil(t, "count staff", err)
		wantSame(t, "staff of a new ledger", n, int64(0))
		for _, u := range append(guests, staff) { // two guests without an address do not collide
			wantNil(t, "add a user", s.InsertUser(ctx, u))
		}
		n, err = s.CountStaff(ctx)
		wantNil(t, "count staff", err)
		wantSame(t, "staff", n, int64(1))

		got, err := s.User(ctx, "s1")
		wantNil(t, "read a user", err)
		wantSame(t, "user", got, &staff)
		got, err = s.UserByEmail(ctx, staff.Email)
		wantNil(t, "read by e-mail", err)
		wantSame(t, "user by e-mail", got, &staff)

		_, err = s.User(ctx, "none")
		wantErr(t, "unknown user", err, domain.ErrNotFound)
		_, err = s.UserByEmail(ctx, "")
		wantErr(t, "guests have no address", err, domain.ErrNotFound)
		again := staff
		again.ID, again.Kind, again.Role = "a1", domain.UserAccount, domain.RoleNone
		err = s.InsertUser(ctx, again)
		wantErr(t, "address in use", err, domain.ErrDuplicate)
		wantErr(t, "unknown role", s.InsertUser(ctx, domain.User{ID: "x", Kind: domain.UserStaff, Role: "owner"}), domain.ErrInvalid)
		wantErr(t, "unknown kind", s.InsertUser(ctx, domain.User{ID: "x", Kind: "robot"}), domain.ErrInvalid)
	})
}

func TestAGuestBecomesAnAccountOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		born := repotest.Now.Add(-time.Hour)
		for _, id := range []string{"g1", "g2"} {
			wantNil(t, "add a guest", s.InsertUser(ctx, domain.User{ID: id, Kind: domain.UserGuest, CreatedAt: born}))
		}
		want := domain.User{ID: "g1", Kind: domain.UserAccount, Email: "bo@example.test", Name: "Bo", PasswordHash: "h"}
		wantNil(t, "make an account", s.UpdateUserKind(ctx, want))
		wantErr(t, "make it again", s.UpdateUserKind(ctx, want), domain.ErrVersionConflict)
		wantErr(t, "unknown guest", s.UpdateUserKind(ctx, domain.User{ID: "none"}), domain.ErrVersionConflict)
		taken := want
		taken.ID = "g2"
		err := s.UpdateUserKind(ctx, taken)
		wantErr(t, "address in use", err, domain.ErrDuplicate)
		if strings.Contains(domainMessage(err), want.Email) {
			t.Errorf("the message names the address: %v", err)
		}

		want.CreatedAt = born
		got, err := s.UserByEmail(ctx, want.Email)
		wantNil(t, "read by e-mail", err)
		wantSame(t, "account", got, &want)
	})
}
