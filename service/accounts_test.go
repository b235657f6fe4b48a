package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
)

// frontDesk is a till with accounts.
type frontDesk struct {
	*till
	accounts  *service.Accounts
	passwords *service.Passwords
}

func newFrontDesk(t *testing.T, s *repo.Store) *frontDesk {
	t.Helper()
	d := &till{t: t, store: s}
	d.at(0)
	p, err := service.NewPasswords()
	d.ok("make a hasher", err)
	return &frontDesk{till: d, passwords: p, accounts: service.NewAccounts(s, d.clock(), p, quiet())}
}

const goodPassword = "wide screen, third row"

func signUp(email string) service.SignUpRequest {
	return service.SignUpRequest{Email: email, Password: goodPassword, Name: " Mia "}
}

func TestSignUpAndSignIn(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newFrontDesk(t, s)
		u, err := d.accounts.SignUp(ctx, signUp(" Mia@Example.ORG "))
		d.ok("sign up", err)
		d.same("account", []string{string(u.Kind), u.Email, u.Name, string(u.Role)}, []string{"account", "mia@example.org", "Mia", ""})
		if !strings.HasPrefix(u.PasswordHash, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("stored password is %q", u.PasswordHash)
		}
		got, err := d.accounts.SignIn(ctx, "MIA@example.org", goodPassword)
		d.ok("sign in", err)
		d.same("who signed in", got, u)

		_, wrong := d.accounts.SignIn(ctx, "mia@example.org", goodPassword+"!")
		d.fails("wrong password", wrong, domain.ErrBadCredentials)
		_, unknown := d.accounts.SignIn(ctx, "ada@example.org", goodPassword)
		d.fails("unknown address", unknown, domain.ErrBadCredentials)
		d.same("the two texts", unknown.Error(), wrong.Error())
		_, err = d.accounts.SignIn(ctx, "", "")
		d.fails("nothing", err, domain.ErrBadCredentials)

		_, err = d.accounts.SignUp(ctx, signUp("MIA@example.org"))
		d.fails("address in use", err, domain.ErrInvalid)
		d.wantFields(err, "email")
	})
}

func (d *frontDesk) wantFields(err error, fields ...string) {
	d.t.Helper()
	var e *domain.Error
	if !errors.As(err, &e) {
		d.t.Fatalf("got %v, want a domain error", err)
	}
	for _, f := range fields {
		if e.Fields[f] == nil {
			d.t.Errorf("the answer does not name %s: %v", f, e.Fields)
		}
	}
}

func TestSignInOfNobodyDoesTheSameWork(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newFrontDesk(t, s)
		_, err := d.accounts.SignUp(ctx, signUp("mia@example.org"))
		d.ok("sign up", err)
		d.passwords.FillQueue() // whoever comes to hash is turned away
		for _, email := range []string{"mia@example.org", "nobody@example.org"} {
			_, err := d.accounts.SignIn(ctx, email, "whatever it is")
			d.fails("sign-in of "+email, err, domain.ErrBusy)
		}
	})
}

func TestTheDummyPasswordOpensNothing(t *testing.T) {
	t.Parallel()
	p, err := service.NewPasswords()
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := p.Matches(context.Background(), "nobody has this password", ""); ok || err != nil {
		t.Fatalf("got %v, %v, want no match", ok, err)
	}
	p.FillQueue()
	if _, err := p.Matches(context.Background(), goodPassword, ""); !errors.Is(err, domain.ErrBusy) {
		t.Fatalf("too many waiting: got %v, want busy", err)
	}
}

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	p, err := service.NewPasswords()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, password string
		fine           bool
	}{
		{"empty", "", false},
		{"seven", "x7-kino", false},
		{"eight", "x7-kinos", true},
		{"eight signs of three bytes", "今晚我想看电影吧", true},
		{"128", strings.Repeat("kino ", 25) + "abc", true},
		{"129", strings.Repeat("kino ", 25) + "abcd", false},
		{"common", "password1", false},
		{"common, in capitals", "PassWord1", false},
		{"common, wide signs", "ｐａｓｓｗｏｒｄ１", false},
		{"one of ours", "usherusher", false},
		{"the address", "mia.berg@example.org", false},
		{"the name of the address", "Mia.Berg", false},
		{"spaces count", "a b c d e", true},
		{"not text", "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", false},
	} {
		if problem := p.PasswordProblem(c.password, "mia.berg@example.org"); (problem == "") != c.fine {
			t.Errorf("%s: got %q, want fine=%v", c.name, problem, c.fine)
		}
	}
}

func TestSignUpNamesEveryField(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newFrontDesk(t, s)
		_, err := d.accounts.SignUp(context.Background(), service.SignUpRequest{Email: "mia", Password: "short", Name: strings.Repeat("x", 101)})
		d.fails("sign up", err, domain.ErrInvalid)
		d.wantFields(err, "email", "password", "name")
	})
}

func TestAGuestWhoSignsUpStaysTheSameUser(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newFrontDesk(t, s)
		guest, err := d.accounts.Guest(ctx)
		d.ok("make a guest", err)
		d.same("kind", guest.Kind, domain.UserGuest)
		req := signUp("mia@example.org")
		req.GuestID = guest.ID
		u, err := d.accounts.SignUp(ctx, req)
		d.ok("sign up", err)
		d.same("id and kind", []string{u.ID, string(u.Kind)}, []string{guest.ID, "account"})
		got, err := d.accounts.SignIn(ctx, "mia@example.org", goodPassword)
		d.ok("sign in", err)
		d.same("who signed in", got, u)

		req.Email = "ada@example.org" // an account is not turned into another one
		other, err := d.accounts.SignUp(ctx, req)
		d.ok("sign up again", err)
		if other.ID == u.ID {
			t.Error("the second account took the first one's id")
		}
		_, err = d.accounts.SignIn(ctx, "mia@example.org", goodPassword)
		d.ok("the first account still signs in", err)
	})
}

func TestAdministratorFromTheSettings(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newFrontDesk(t, s)
		d.wantFields(d.accounts.EnsureAdmin(ctx, "boss", "short"), "email", "password")
		errs := parallel(4, func(int) error { return d.accounts.EnsureAdmin(ctx, "Boss@Example.org", goodPassword) })
		d.ok("four instances start", errors.Join(errs...))
		n, err := s.CountStaff(ctx)
		d.ok("count", err)
		d.same("staff", n, int64(1))
		d.ok("another password in the settings", d.accounts.EnsureAdmin(ctx, "boss@example.org", "a whole new one"))
		u, err := d.accounts.SignIn(ctx, "boss@example.org", goodPassword)
		d.ok("the password is the first one", err)
		d.same("kind and role", []string{string(u.Kind), string(u.Role)}, []string{"staff", "admin"})

		_, err = d.accounts.SignUp(ctx, signUp("mia@example.org"))
		d.ok("sign up", err)
		d.fails("a moviegoer's address", d.accounts.EnsureAdmin(ctx, "mia@example.org", goodPassword), domain.ErrInvalid)
	})
}

func TestSetupLinkWorksOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newFrontDesk(t, s)
		_, err := d.accounts.Setup(ctx, "", "boss@example.org", goodPassword)
		d.fails("no link was made", err, domain.ErrForbidden)
		replaced, needed, err := d.accounts.SetupToken(ctx)
		d.ok("make a link", err)
		token, neededStill, err := d.accounts.SetupToken(ctx)
		d.ok("make another link", err)
		if !needed || !neededStill || token == replaced || len(token) < 26 {
			t.Fatalf("tokens %q (%v), %q (%v), want two different ones", replaced, needed, token, neededStill)
		}
		stored, _, err := s.SystemValue(ctx, "setup_token_hash")
		d.ok("read what is stored", err)
		if stored == "" || strings.Contains(stored, token) {
			t.Errorf("stored is %q", stored)
		}
		_, err = d.accounts.Setup(ctx, replaced, "boss@example.org", goodPassword)
		d.fails("the replaced link", err, domain.ErrForbidden)
		_, err = d.accounts.Setup(ctx, token, "boss@example.org", "short")
		d.fails("a short password", err, domain.ErrInvalid)

		errs := parallel(5, func(i int) error {
			_, err := d.accounts.Setup(ctx, token, string(rune('a'+i))+"@example.org", goodPassword)
			return err
		})
		good := 0
		for _, err := range errs {
			if err == nil {
				good++
			} else {
				d.fails("a second use", err, domain.ErrForbidden)
			}
		}
		d.same("uses", good, 1)
		_, needed, err = d.accounts.SetupToken(ctx)
		d.ok("ask again", err)
		d.same("needed", needed, false)
	})
}
