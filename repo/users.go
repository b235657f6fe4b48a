package repo

import (
	"context"
	"fmt"

	"usher/service/domain"
)

type userRow struct {
	ID           string
	Kind         string
	Email        string
	Name         string
	PasswordHash string
	Role         string
	CreatedAt    instant
}

func (r userRow) domain() *domain.User {
	return &domain.User{
		ID:           r.ID,
		Kind:         domain.UserKind(r.Kind),
		Email:        r.Email,
		Name:         r.Name,
		PasswordHash: r.PasswordHash,
		Role:         domain.Role(r.Role),
		CreatedAt:    r.CreatedAt.Time,
	}
}

const userColumns = `id, kind, email, name, password_hash, role, created_at`

const insertUserSQL = `INSERT INTO users (` + userColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`

// InsertUser adds a guest, an account or a staff member. ErrDuplicate when another account or staff member
// has the e-mail address.
func (s *Store) InsertUser(ctx context.Context, u domain.User) error {
	_, err := s.exec(ctx, insertUserSQL, u.ID, string(u.Kind), u.Email, u.Name, u.PasswordHash, string(u.Role), stamp(u.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert user %s: %w", u.ID, err)
	}
	return nil
}

const userSQL = `SELECT ` + userColumns + ` FROM users WHERE id = ?`

// User returns one user. ErrNotFound when there is none.
func (s *Store) User(ctx context.Context, id string) (*domain.User, error) {
	var row userRow
	if err := s.one(ctx, &row, userSQL, id); err != nil {
		return nil, fmt.Errorf("read user %s: %w", id, err)
	}
	return row.domain(), nil
}

const userByEmailSQL = `SELECT ` + userColumns + ` FROM users WHERE email = ? AND kind <> 'guest'`

// UserByEmail returns the account or staff member with the address, which is compared as it is stored: lower
// case. Guests have no address. ErrNotFound when there is none. The address is in no error.
func (s *Store) UserByEmail(ctx context.Context, email string) (*domain.User, error) {
	var row userRow
	if err := s.one(ctx, &row, userByEmailSQL, email); err != nil {
		return nil, fmt.Errorf("read user by e-mail: %w", err)
	}
	return row.domain(), nil
}

const countStaffSQL = `SELECT count(*) FROM users WHERE kind = 'staff'`

// CountStaff returns how many staff members there are.
func (s *Store) CountStaff(ctx context.Context) (int64, error) {
	var n int64
	if err := s.query(ctx, &n, countStaffSQL); err != nil {
		return 0, fmt.Errorf("count staff: %w", err)
	}
	return n, nil
}

const updateUserKindSQL = `
UPDATE users SET kind = 'account', email = ?, name = ?, password_hash = ? WHERE id = ? AND kind = 'guest'`

// UpdateUserKind turns the guest u.ID into an account with the e-mail, name and password hash of u.
// ErrVersionConflict when that user is no guest (any more) or is not there, ErrDuplicate when another account
// or staff member has the address.
func (s *Store) UpdateUserKind(ctx context.Context, u domain.User) error {
	n, err := s.exec(ctx, updateUserKindSQL, u.Email, u.Name, u.PasswordHash, u.ID)
	return changedOne(n, err, "make an account of guest "+u.ID)
}
