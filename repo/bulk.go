package repo

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
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
	pgArray() string
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

// arrayLiteral is sent as one text parameter; without the Valuer gorm would spread a slice over many.
type arrayLiteral string

// Value returns the literal.
func (a arrayLiteral) Value() (driver.Value, error) { return string(a), nil }

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
		args[i] = arrayLiteral(c.values.pgArray())
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
func (v texts) pgArray() string {
	return array(len(v), func(sb *strings.Builder, i int) {
		sb.WriteByte('"')
		for _, b := range []byte(v[i]) {
			if b == '"' || b == '\\' {
				sb.WriteByte('\\')
			}
			sb.WriteByte(b)
		}
		sb.WriteByte('"')
	})
}

func (v ints) len() int     { return len(v) }
func (v ints) at(i int) any { return v[i] }
func (v ints) pgArray() string {
	return array(len(v), func(sb *strings.Builder, i int) { sb.WriteString(strconv.FormatInt(v[i], 10)) })
}

func (v bools) len() int { return len(v) }
func (v bools) at(i int) any {
	if v[i] {
		return 1
	}
	return 0
}

func (v bools) pgArray() string {
	return array(len(v), func(sb *strings.Builder, i int) { sb.WriteString(strconv.FormatBool(v[i])) })
}

// sqliteTime is the form in which the SQLite driver writes times (_time_format=sqlite), so that texts compare
// like the instants they stand for.
const sqliteTime = "2006-01-02 15:04:05.999999999-07:00"

func (v times) len() int     { return len(v) }
func (v times) at(i int) any { return v[i].UTC().Format(sqliteTime) }
func (v times) pgArray() string {
	return array(len(v), func(sb *strings.Builder, i int) {
		sb.WriteByte('"')
		sb.WriteString(v[i].UTC().Format("2006-01-02 15:04:05.999999Z07:00"))
		sb.WriteByte('"')
	})
}

func array(n int, write func(*strings.Builder, int)) string {
	var sb strings.Builder
	sb.Grow(2 + n*24)
	sb.WriteByte('{')
	for i := range n {
		if i > 0 {
			sb.WriteByte(',')
		}
		write(&sb, i)
	}
	sb.WriteByte('}')
	return sb.String()
}
