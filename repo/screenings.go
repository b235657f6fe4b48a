package repo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"usher/service/domain"
)

// screeningsMax bounds what is read of all screenings on sale at once.
const screeningsMax = 20_000

type screeningRow struct {
	ID           string
	CinemaID     string
	MovieID      string
	AuditoriumID string
	LayoutID     string
	Partition    int
	Epoch        int64
	HoldMode     string
	Settings     int64
	Status       string
	Kind         string
	StartsAt     instant
	EndsAt       instant
	OpensAt      instant
	ClosesAt     instant
	HoldLifeMS   int64 `gorm:"column:hold_life_ms"`
	LimitPerUser int
	OrphanRule   bool
	Capacity     int
	Remaining    int
	Version      int64
	Currency     string
	CreatedAt    instant
}

const screeningColumns = `id, cinema_id, movie_id, auditorium_id, COALESCE(layout_id, '') AS layout_id, partition,
	epoch, hold_mode, settings, status, kind, starts_at, ends_at, opens_at, closes_at, hold_life_ms, limit_per_user,
	orphan_rule, capacity, remaining, version, currency, created_at`

func (r screeningRow) domain() domain.Screening {
	return domain.Screening{
		ID:           r.ID,
		MovieID:      r.MovieID,
		AuditoriumID: r.AuditoriumID,
		CinemaID:     r.CinemaID,
		LayoutID:     r.LayoutID,
		Partition:    r.Partition,
		Epoch:        r.Epoch,
		HoldMode:     domain.HoldMode(r.HoldMode),
		Settings:     r.Settings,
		Status:       domain.ScreeningStatus(r.Status),
		Kind:         domain.ScreeningKind(r.Kind),
		StartsAt:     r.StartsAt.Time,
		EndsAt:       r.EndsAt.Time,
		OpensAt:      r.OpensAt.Time,
		ClosesAt:     r.ClosesAt.Time,
		HoldLife:     time.Duration(r.HoldLifeMS) * time.Millisecond,
		Limit:        r.LimitPerUser,
		OrphanRule:   r.OrphanRule,
		Capacity:     r.Capacity,
		Remaining:    r.Remaining,
		Version:      r.Version,
		Currency:     r.Currency,
		CreatedAt:    r.CreatedAt.Time,
	}
}

const insertScreeningSQL = `
INSERT INTO screenings (id, cinema_id, movie_id, auditorium_id, layout_id, partition, epoch, hold_mode, settings,
	status, kind, starts_at, ends_at, opens_at, closes_at, hold_life_ms, limit_per_user, orphan_rule, capacity,
	remaining, version, currency, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// InsertScreening adds a screening with its prices; inside InTx only. ErrDuplicate when the id exists,
// ErrInvalid when a rule of the table refuses it or its movie, auditorium, cinema or layout is not there.
func (s *Store) InsertScreening(ctx context.Context, sc *domain.Screening) error {
	s.mustBeBound("InsertScreening")
	_, err := s.exec(ctx, insertScreeningSQL, sc.ID, sc.CinemaID, sc.MovieID, sc.AuditoriumID, orNull(sc.LayoutID),
		sc.Partition, sc.Epoch, string(sc.HoldMode), sc.Settings, string(sc.Status), string(sc.Kind),
		stamp(sc.StartsAt), stamp(sc.EndsAt), stamp(sc.OpensAt), stamp(sc.ClosesAt), sc.HoldLife.Milliseconds(),
		sc.Limit, sc.OrphanRule, sc.Capacity, sc.Remaining, sc.Version, sc.Currency, stamp(sc.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert screening %s: %w", sc.ID, err)
	}
	return s.insertPrices(ctx, sc)
}

const screeningSQL = `SELECT ` + screeningColumns + ` FROM screenings WHERE id = ?`

// Screening returns one screening with its prices. ErrNotFound when there is none.
func (s *Store) Screening(ctx context.Context, id string) (*domain.Screening, error) {
	var row screeningRow
	if err := s.one(ctx, &row, screeningSQL, id); err != nil {
		return nil, fmt.Errorf("read screening %s: %w", id, err)
	}
	list := []domain.Screening{row.domain()}
	if err := s.loadPrices(ctx, list); err != nil {
		return nil, err
	}
	return &list[0], nil
}

// ListScreenings returns one page of screenings with prices in the order of (starts_at, id), by the index
// screenings_by_start or, for one movie, screenings_by_movie. ErrMalformed when the cursor is not one.
func (s *Store) ListScreenings(ctx context.Context, f domain.ScreeningFilter, page domain.Page) (domain.List[domain.Screening], error) {
	page = page.Bounded()
	query, args, err := screeningsQuery(f, page)
	if err != nil {
		return domain.List[domain.Screening]{}, err
	}
	var rows []screeningRow
	if err := s.query(ctx, &rows, query, args...); err != nil {
		return domain.List[domain.Screening]{}, fmt.Errorf("list screenings: %w", err)
	}
	list := paged(convert(rows, screeningRow.domain), page.Limit, func(sc domain.Screening) string {
		return timeCursor(sc.StartsAt, sc.ID)
	})
	return list, s.loadPrices(ctx, list.Items)
}

func screeningsQuery(f domain.ScreeningFilter, page domain.Page) (string, []any, error) {
	conditions, args := []string{"1 = 1"}, []any{}
	where := func(condition string, arg ...any) {
		conditions = append(conditions, condition)
		args = append(args, arg...)
	}
	if !f.From.IsZero() {
		where("starts_at >= ?", stamp(f.From))
	}
	if !f.To.IsZero() {
		where("starts_at < ?", stamp(f.To))
	}
	if f.MovieID != "" {
		where("movie_id = ?", f.MovieID)
	}
	if len(f.Statuses) > 0 {
		where("status IN ?", convert(f.Statuses, func(st domain.ScreeningStatus) string { return string(st) }))
	}
	if page.After != "" {
		at, id, err := parseTimeCursor(page.After)
		if err != nil {
			return "", nil, err
		}
		where("(starts_at, id) > (?, ?)", stamp(at), id)
	}
	args = append(args, page.Limit+1)
	return `SELECT ` + screeningColumns + ` FROM screenings WHERE ` + strings.Join(conditions, " AND ") +
		` ORDER BY starts_at, id LIMIT ?`, args, nil
}

const (
	lockScreeningsPostgres = `SELECT ` + screeningColumns + ` FROM screenings
WHERE id = ANY(?::text[]) ORDER BY id FOR NO KEY UPDATE`
	lockScreeningsSQLite = `SELECT ` + screeningColumns + ` FROM screenings
WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`
)

// LockScreenings locks the rows of the named screenings in ascending order of their ids until the transaction
// ends, and returns them in that order, without prices; inside InTx only. Ids that do not exist are left out.
// On SQLite the transaction itself is the lock. ErrLockTimeout when another transaction keeps a row.
func (s *Store) LockScreenings(ctx context.Context, ids []string) ([]domain.Screening, error) {
	s.mustBeBound("LockScreenings")
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	var rows []screeningRow
	query := s.pick(lockScreeningsPostgres, lockScreeningsSQLite)
	if err := s.query(ctx, &rows, query, s.list(sorted)); err != nil {
		return nil, fmt.Errorf("lock %d screenings: %w", len(sorted), err)
	}
	return convert(rows, screeningRow.domain), nil
}

// SetLockTimeout bounds the wait for row locks until the transaction ends; inside InTx only. SQLite needs
// none: a transaction waits when it begins, never in the middle.
func (s *Store) SetLockTimeout(ctx context.Context, d time.Duration) error {
	s.mustBeBound("SetLockTimeout")
	if !s.postgres() {
		return nil
	}
	ms := max(d.Milliseconds(), 1) // 0 would wait for ever
	if _, err := s.exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", ms)); err != nil {
		return fmt.Errorf("set the lock timeout: %w", err)
	}
	return nil
}

// SetIdleTimeout ends the transaction's session when it does nothing for that long, so that a stopped process
// cannot keep its row locks. SQLite has one process and needs none.
func (s *Store) SetIdleTimeout(ctx context.Context, d time.Duration) error {
	s.mustBeBound("SetIdleTimeout")
	if !s.postgres() {
		return nil
	}
	_, err := s.exec(ctx, fmt.Sprintf("SET LOCAL idle_in_transaction_session_timeout = %d", max(1, d.Milliseconds())))
	return err
}
