package seatplan

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"usher/service/domain"
)

// The bounds of a seat plan file when Options names none.
const (
	DefaultMaxBytes = 8 << 20
	DefaultMaxSeats = 10_000
)

// Options says how a file is read. The zero value is the default.
type Options struct {
	// NewIDs gives a seat whose id another seat of the pretix plan carries already a new id, built from its
	// zone, row and number. Without it such a plan is refused.
	NewIDs bool
	// Screen is the side of the screen or stage, which no format names; top when empty.
	Screen domain.Side
	// MaxBytes and MaxSeats bound the file; the defaults when zero.
	MaxBytes int
	MaxSeats int
}

func (o Options) withDefaults() Options {
	if o.Screen == "" {
		o.Screen = domain.SideTop
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxSeats <= 0 {
		o.MaxSeats = DefaultMaxSeats
	}
	return o
}

// Parse reads a seat plan file. The name is used in messages and, for a CSV, as the plan's name. A seat's
// index is its place in the file. The layout has no id, auditorium or version yet.
//
// It returns a *Problems (domain.ErrInvalid) that names every fault of the file, with a report of what could
// be read, or domain.ErrTooLarge when the file is larger than the bound.
func Parse(name string, data []byte, opts Options) (*domain.SeatLayout, Report, error) {
	opts = opts.withDefaults()
	name, _ = cleanLabel(strings.ToValidUTF8(name, "?"), 1<<10)
	if len(data) > opts.MaxBytes {
		message := fmt.Sprintf("The seat plan has %d bytes, at most %d are read.", len(data), opts.MaxBytes)
		return nil, Report{}, fmt.Errorf("read seat plan %s: %w", quote(name), domain.ErrTooLarge.Saying(message))
	}

	problems := &Problems{File: name}
	body := checkText(data, problems)
	if err := problems.orNil(); err != nil {
		return nil, Report{}, err
	}

	layout := &domain.SeatLayout{Screen: opts.Screen}
	var report Report
	if first := bytes.TrimLeft(body, " \t\r\n"); first[0] == '{' || first[0] == '[' {
		report = parsePretix(layout, body, opts, problems)
	} else {
		report = parseCSV(layout, body, opts, problems)
	}
	if err := problems.orNil(); err != nil {
		return nil, report, err
	}
	if layout.Name == "" {
		layout.Name = planName(name)
	}
	return layout, report, nil
}

// checkText refuses what is no text at all and cuts a byte order mark.
func checkText(data []byte, problems *Problems) []byte {
	if len(data) == 0 {
		problems.add("", "the file is empty (0 bytes)")
		return nil
	}
	for offset := 0; offset < len(data); {
		r, size := utf8.DecodeRune(data[offset:])
		if r == utf8.RuneError && size == 1 {
			problems.add("", fmt.Sprintf("not UTF-8: byte 0x%02X at offset %d", data[offset], offset))
			return nil
		}
		offset += size
	}
	body := bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(body)) == 0 {
		problems.add("", fmt.Sprintf("the file holds nothing but white space (%s)", plural(len(data), "byte")))
	}
	return body
}

// planName makes a plan's name from its file's name: the last part of the path without the extension.
func planName(file string) string {
	if i := strings.LastIndexAny(file, `/\`); i >= 0 {
		file = file[i+1:]
	}
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		file = file[:i]
	}
	return file
}
