package seatplan

import (
	"fmt"
	"strings"
	"unicode"

	"usher/service/domain"
)

// maxProblems bounds how many problems are kept word for word; the rest are counted.
const maxProblems = 500

// clipRunes bounds a value that is repeated in a problem.
const clipRunes = 60

// Problem is one fault of a file: where it stands and what is wrong with which value.
type Problem struct {
	Place   string `json:"place,omitempty"` // a JSON path or a line; empty when the whole file is meant
	Message string `json:"message"`
}

// String returns the place and the message.
func (p Problem) String() string {
	if p.Place == "" {
		return p.Message
	}
	return p.Place + ": " + p.Message
}

// Problems is the error of a file that cannot be imported. It wraps domain.ErrInvalid.
type Problems struct {
	File  string
	Items []Problem
	More  int // problems beyond the bound, counted only
}

// Error prints one line for each problem, each with the file's name.
func (p *Problems) Error() string {
	return strings.Join(p.lines(), "\n")
}

// Unwrap returns domain.ErrInvalid with the problems as the field "problems".
func (p *Problems) Unwrap() error {
	message := "The seat plan has a problem. Nothing was stored."
	if n := len(p.Items) + p.More; n > 1 {
		message = fmt.Sprintf("The seat plan has %d problems. Nothing was stored.", n)
	}
	return domain.ErrInvalid.Saying(message).With("problems", p.lines())
}

func (p *Problems) lines() []string {
	lines := make([]string, 0, len(p.Items)+1)
	for _, item := range p.Items {
		lines = append(lines, p.File+": "+item.String())
	}
	if p.More > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more problems", p.File, p.More))
	}
	return lines
}

func (p *Problems) add(place, message string) {
	if len(p.Items) == maxProblems {
		p.More++
		return
	}
	p.Items = append(p.Items, Problem{Place: place, Message: message})
}

// orNil returns the problems as an error, nil when there are none.
func (p *Problems) orNil() error {
	if len(p.Items) == 0 {
		return nil
	}
	return p
}

// quote repeats a value of the file in a message: clipped, on one line, in backticks.
func quote(value string) string {
	out := make([]rune, 0, clipRunes)
	for _, r := range value {
		if len(out) == clipRunes {
			return "`" + string(out) + "…`"
		}
		if unicode.IsControl(r) {
			r = '?'
		}
		out = append(out, r)
	}
	return "`" + string(out) + "`"
}

// plural returns the number with its word in the right form.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
