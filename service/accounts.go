package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"usher/repo"
	"usher/service/domain"
)

// Accounts knows people: guests, moviegoers with an account, staff.
type Accounts struct {
	store     *repo.Store
	clock     *Clock
	passwords *Passwords
	log       *slog.Logger
}

// NewAccounts returns the accounts of a ledger.
func NewAccounts(store *repo.Store, clock *Clock, passwords *Passwords, log *slog.Logger) *Accounts {
	return &Accounts{store: store, clock: clock, passwords: passwords, log: log.With("component", "accounts")}
}

// Guest adds a guest: somebody without a name who can hold seats.
func (a *Accounts) Guest(ctx context.Context) (domain.User, error) {
	u := domain.User{ID: NewID(), Kind: domain.UserGuest, CreatedAt: a.clock.Now()}
	if err := a.store.InsertUser(ctx, u); err != nil {
		return domain.User{}, err
	}
	return u, nil
}

// SignUpRequest is what somebody sends to get an account.
type SignUpRequest struct {
	GuestID  string // the guest who signs up and keeps orders and id; empty for somebody new
	Email    string
	Password string
	Name     string // may be empty
}

// SignUp makes an account. ErrInvalid names each field with its problem; an address in use is one. A guest who
// has become an account meanwhile gets a new account beside it.
func (a *Accounts) SignUp(ctx context.Context, req SignUpRequest) (domain.User, error) {
	u := domain.User{ID: req.GuestID, Kind: domain.UserAccount, Email: normalEmail(req.Email), Name: strings.TrimSpace(req.Name), CreatedAt: a.clock.Now()}
	if err := a.check(u, req.Password); err != nil {
		return domain.User{}, err
	}
	hash, err := a.passwords.hash(ctx, req.Password)
	if err != nil {
		return domain.User{}, err
	}
	u.PasswordHash = hash
	return a.add(ctx, u)
}

// add turns the guest u.ID into the account, or inserts it where there is no such guest.
func (a *Accounts) add(ctx context.Context, u domain.User) (domain.User, error) {
	if u.ID != "" {
		err := a.store.UpdateUserKind(ctx, u)
		if err == nil {
			return a.read(ctx, u.ID)
		}
		if !errors.Is(err, domain.ErrVersionConflict) {
			return domain.User{}, inUse(err)
		}
	}
	u.ID = NewID()
	if err := a.store.InsertUser(ctx, u); err != nil {
		return domain.User{}, inUse(err)
	}
	return u, nil
}

func (a *Accounts) read(ctx context.Context, id string) (domain.User, error) {
	u, err := a.store.User(ctx, id)
	if err != nil {
		return domain.User{}, err
	}
	return *u, nil
}

// inUse names the e-mail field when the ledger refused an address that somebody has.
func inUse(err error) error {
	if errors.Is(err, domain.ErrDuplicate) {
		return domain.ErrInvalid.With("email", "There is an account with this address.").Because(err)
	}
	return err
}

func (a *Accounts) check(u domain.User, password string) error {
	return invalid(map[string]string{
		"email": emailProblem(u.Email), "name": nameProblem(u.Name), "password": a.passwords.problem(password, u.Email),
	})
}

// SignIn returns the account or staff member with the address and password. Any mismatch is ErrBadCredentials,
// with the same words and after the same work whether or not there is such a user.
func (a *Accounts) SignIn(ctx context.Context, email, password string) (domain.User, error) {
	if !clean(email) {
		email = "" // nobody has such an address, and a store need not be able to hold it
	}
	u, err := a.store.UserByEmail(ctx, normalEmail(email))
	if errors.Is(err, domain.ErrNotFound) {
		u, err = &domain.User{}, nil
	}
	if err != nil {
		return domain.User{}, err
	}
	same, err := a.passwords.matches(ctx, password, u.PasswordHash)
	if err != nil {
		return domain.User{}, err
	}
	if !same {
		a.log.InfoContext(ctx, "sign-in refused", "user_id", u.ID) // empty when there is no such user
		return domain.User{}, domain.ErrBadCredentials
	}
	return *u, nil
}

// EnsureAdmin adds the administrator that the settings name, unless the address is one of staff already, whose
// password and role then stay what they are. ErrInvalid when the address or password breaks a rule or the address
// belongs to a moviegoer.
func (a *Accounts) EnsureAdmin(ctx context.Context, email, password string) error {
	email = normalEmail(email)
	if known, err := a.isStaff(ctx, email); known || err != nil {
		return err
	}
	err := a.addAdmin(ctx, email, password)
	if errors.Is(err, domain.ErrInvalid) {
		if known, lookErr := a.isStaff(ctx, email); known && lookErr == nil { // another instance was faster
			return nil
		}
	}
	return err
}

func (a *Accounts) isStaff(ctx context.Context, email string) (bool, error) {
	u, err := a.store.UserByEmail(ctx, email)
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return err == nil && u.Kind == domain.UserStaff, err
}

func (a *Accounts) addAdmin(ctx context.Context, email, password string) error {
	u, err := a.newAdmin(ctx, email, password)
	if err != nil {
		return err
	}
	if err := a.store.InsertUser(ctx, u); err != nil {
		return fmt.Errorf("add administrator: %w", inUse(err))
	}
	a.log.InfoContext(ctx, "administrator added", "user_id", u.ID)
	return nil
}

// newAdmin checks and makes an administrator who is in no ledger yet.
func (a *Accounts) newAdmin(ctx context.Context, email, password string) (domain.User, error) {
	u := domain.User{ID: NewID(), Kind: domain.UserStaff, Email: normalEmail(email), Role: domain.RoleAdmin, CreatedAt: a.clock.Now()}
	if err := a.check(u, password); err != nil {
		return domain.User{}, err
	}
	hash, err := a.passwords.hash(ctx, password)
	u.PasswordHash = hash
	return u, err
}
