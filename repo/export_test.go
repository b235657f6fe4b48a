package repo

import (
	"context"
	"time"

	"usher/service/domain"
)

// BulkRow is one row of a bulk statement in every type that bulk statements know.
type BulkRow struct {
	Txt string
	Num int64
	Yes bool
	At  instant
}

// Bulk sends rows through a bulk FROM item and returns what the database saw, in the order of Num.
func (s *Store) Bulk(ctx context.Context, in []BulkRow) ([]BulkRow, error) {
	txt, num, yes, at := make([]string, len(in)), make([]int64, len(in)), make([]bool, len(in)), make([]time.Time, len(in))
	for i, r := range in {
		txt[i], num[i], yes[i], at[i] = r.Txt, r.Num, r.Yes, r.At.Time
	}
	item, args := s.from("rows_in", textColumn("txt", txt), intColumn("num", num), boolColumn("yes", yes), timeColumn("at", at))
	var out []BulkRow
	err := s.query(ctx, &out, "SELECT txt, num, yes, at FROM "+item+" ORDER BY num", args...)
	return out, err
}

// At makes the time of a BulkRow.
func At(t time.Time) instant { return instant{t} }

// Listed sends ids as one parameter and returns those that the database found in it.
func (s *Store) Listed(ctx context.Context, candidates, ids []string) ([]string, error) {
	item, args := s.from("c", textColumn("id", candidates))
	var out []string
	err := s.query(ctx, &out, "SELECT id FROM "+item+" WHERE "+
		s.pick("id = ANY(?::text[])", "id IN (SELECT value FROM json_each(?))")+" ORDER BY id", append(args, s.list(ids))...)
	return out, err
}

// ReadText and WriteText run a query for one text on the reading and the writing side.
func (s *Store) ReadText(ctx context.Context, query string, args ...any) (string, error) {
	var text string
	err := s.query(ctx, &text, query, args...)
	return text, err
}

// WriteText runs a query for one text on the writing side.
func (s *Store) WriteText(ctx context.Context, query string, args ...any) (string, error) {
	var text string
	err := s.returning(ctx, &text, query, args...)
	return text, err
}

// Exec runs one statement.
func (s *Store) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	return s.exec(ctx, query, args...)
}

// ReadInstant and ReturnedInstant read one time, from a query and from RETURNING.
func (s *Store) ReadInstant(ctx context.Context, query string, args ...any) (time.Time, error) {
	var row struct{ At instant }
	err := s.one(ctx, &row, query, args...)
	return row.At.Time, err
}

// ReturnedInstant reads one time from a writing statement.
func (s *Store) ReturnedInstant(ctx context.Context, query string, args ...any) (time.Time, error) {
	var row struct{ At instant }
	err := s.returning(ctx, &row, query, args...)
	return row.At.Time, err
}

// Plan returns the steps by which SQLite answers a query.
func (s *Store) Plan(ctx context.Context, query string, args ...any) ([]string, error) {
	var rows []struct{ Detail string }
	err := s.query(ctx, &rows, "EXPLAIN QUERY PLAN "+query, args...)
	return convert(rows, func(r struct{ Detail string }) string { return r.Detail }), err
}

// Lists are the statements that read or remove many rows, with the index each is meant to use.
func Lists() []List {
	at := time.Unix(0, 0)
	lists := []List{
		{"sqlite_autoindex_cinemas_1", listCinemasSQL, []any{1}},
		{"sqlite_autoindex_auditoriums_2", listAuditoriumsSQL, []any{"c", 1}},
		{"sqlite_autoindex_movies_1", listMoviesSQL, []any{"m", 1}},
		{"sqlite_autoindex_seat_layouts_2", latestLayoutSQL, []any{"a"}},
		{"screenings_by_status", screeningStatesSQL, []any{at, 1}},
		{"sqlite_autoindex_price_tiers_1", pricesSQLite, []any{"[]"}},
		{"sqlite_autoindex_screenings_1", lockScreeningsSQLite, []any{"[]"}},
		{"users_by_email", userByEmailSQL, []any{"e"}},
		{"sessions_by_expiry", deleteExpiredSessionsSQL, []any{at, 1}},
		{"payments_by_order", paymentsOfOrderSQL, []any{"o", 1}},
		{"payments_by_order", openPaymentSQL, []any{"o"}},
		{"refunds_by_payment", refundsOfOrderSQL, []any{"o", 1}},
	}
	for index, f := range map[string]domain.ScreeningFilter{
		"screenings_by_start": {From: at, To: at}, "screenings_by_movie": {MovieID: "m", From: at},
	} {
		query, args, err := screeningsQuery(f, domain.Page{After: timeCursor(at, "s"), Limit: 1})
		if err != nil {
			panic(err)
		}
		lists = append(lists, List{index, query, args})
	}
	return lists
}

// List is one statement and its index.
type List struct {
	Index, Query string
	Args         []any
}

// TimeCursor and ParseTimeCursor are the cursor of lists ordered by (time, id).
var (
	TimeCursor      = timeCursor
	ParseTimeCursor = parseTimeCursor
)
