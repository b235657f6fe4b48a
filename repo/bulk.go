package repo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// A bulk statement reads its rows from one parameter set of constant shape, so that its text never depends on
// how many rows there are: arrays and UNNEST on PostgreSQL (VALUES would stop at 65,535 parameters), one JSON
// text and json_each on SQLite.

type column struct {
	name   string
	pgType string
	values values
}

type values interface {
	len() int
	array() any
	at(i int) any
}

type (
	texts []string
	ints  []int64
	bools []bool
	times []time.Time
)

func textColumn(name string, v []string) column    { return column{name, "text[]", texts(v)} }
func intColumn(name string, v []int64) column      { return column{name, "bigint[]", ints(v)} }
func boolColumn(name string, v []bool) column      { return column{name, "boolean[]", bools(v)} }
func timeColumn(name string, v []time.Time) column { return column{name, "timestamptz[]", times(v)} }

// pgArray reaches the PostgreSQL driver as it is, which encodes its elements in binary. It is a struct, since
// gorm would spread a slice over many parameters.
type pgArray[T any] struct{ pgtype.FlatArray[T] }

// from returns a FROM item named alias with the given columns, and its arguments.
func (s *Store) from(alias string, cols ...column) (string, []any) {
	if s.postgres() {
		return fromArrays(alias, cols)
	}
	return fromJSON(alias, cols)
}

func fromArrays(alias string, cols []column) (string, []any) {
	var sb strings.Builder
	args := make([]any, len(cols))
	names := make([]string, len(cols))
	sb.WriteString("unnest(")
	for i, c := range cols {
		if i > 0 {
			sb.WriteString(", ")
		}
		sb.WriteString("?::" + c.pgType)
		args[i] = c.values.array()
		names[i] = c.name
	}
	fmt.Fprintf(&sb, ") AS %s (%s)", alias, strings.Join(names, ", "))
	return sb.String(), args
}

func fromJSON(alias string, cols []column) (string, []any) {
	var sb strings.Builder
	sb.WriteString("(SELECT ")
	for i, c := range cols {
		if i > 0 {
			sb.WriteString(", ")
		}
		fmt.Fprintf(&sb, "value->>%d AS %s", i, c.name)
	}
	fmt.Fprintf(&sb, " FROM json_each(?)) AS %s", alias)
	table := make([][]any, cols[0].values.len())
	for i := range table {
		row := make([]any, len(cols))
		for j, c := range cols {
			row[j] = c.values.at(i)
		}
		table[i] = row
	}
	text, err := json.Marshal(table)
	if err != nil {
		panic("bulk: " + err.Error()) // strings, numbers and bools always marshal
	}
	return sb.String(), []any{string(text)}
}

func (v texts) len() int     { return len(v) }
func (v texts) at(i int) any { return v[i] }
func (v texts) array() any   { return pgArray[string]{pgtype.FlatArray[string](v)} }

func (v ints) len() int     { return len(v) }
func (v ints) at(i int) any { return v[i] }
func (v ints) array() any   { return pgArray[int64]{pgtype.FlatArray[int64](v)} }

func (v bools) len() int { return len(v) }
func (v bools) at(i int) any {
	if v[i] {
		return 1
	}
	return 0
}
func (v bools) array() any { return pgArray[bool]{pgtype.FlatArray[bool](v)} }

// sqliteTime is the form in which the SQLite driver writes times (_time_format=sqlite), so that texts compare
// like the instants they stand for.
const sqliteTime = "2006-01-02 15:04:05.999999999-07:00"

func (v times) len() int     { return len(v) }
func (v times) at(i int) any { return v[i].UTC().Format(sqliteTime) }
func (v times) array() any   { return pgArray[time.Time]{pgtype.FlatArray[time.Time](v)} }
