package seatplan

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxLabel bounds zone, row, seat and category names, in characters.
	maxLabel = 64
	// maxID bounds a seat id of a pretix plan, in characters.
	maxID = 128
)

// cleanLabel cuts the white space around a label. The second result says what is wrong with it, if anything.
func cleanLabel(raw string, limit int) (string, string) {
	label := strings.TrimSpace(raw)
	if n := utf8.RuneCountInString(label); n > limit {
		return label, plural(n, "character") + " are too many, at most " + plural(limit, "character") + ": " + quote(label)
	}
	for _, r := range label {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return label, "a control character is not allowed: " + quote(label)
		}
	}
	return label, ""
}

// seatKey builds the seat number of a seat that has no id of its own: zone/row/seat, or row/seat where the
// zone has no name. A slash inside a part becomes ~1 and a tilde ~0, so two seats never share a key.
func seatKey(zone, row, seat string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	key := escape.Replace(row) + "/" + escape.Replace(seat)
	if zone != "" {
		key = escape.Replace(zone) + "/" + key
	}
	return key
}

// CompareLabels orders seat and row labels as people count: A1, A01, A2, A10, B1, AA1 and 16, 16 bis, 17.
// Digits compare as numbers and other text by its length first, so that row AA follows row Z. Labels that
// tie (1 and 01) are ordered by the raw text, the shorter first; only equal texts compare as 0.
func CompareLabels(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		var px, py string
		px, x = cutPart(x)
		py, y = cutPart(y)
		if c := compareParts(px, py); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(x), len(y)); c != 0 {
		return c
	}
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

// cutPart cuts the leading run of digits, or of anything else, off a label.
func cutPart(s string) (part, rest string) {
	end := 1
	for end < len(s) && isDigit(s[end]) == isDigit(s[0]) {
		end++
	}
	return s[:end], s[end:]
}

func compareParts(a, b string) int {
	da, db := isDigit(a[0]), isDigit(b[0])
	switch {
	case da && db:
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	case da:
		return -1
	case db:
		return 1
	}
	if c := cmp.Compare(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wheelchairWords mark a category as wheelchair places when one of them stands in its name as a word. PMR is
// the French abbreviation for people of reduced mobility.
var wheelchairWords = []string{"pmr", "wheelchair", "wheelchairs", "rollstuhl", "rollstuhlplatz", "rolstoel", "轮椅", "轮椅席"}

// namesWheelchair reports whether a category's name speaks of wheelchair places.
func namesWheelchair(category string) bool {
	words := strings.FieldsFunc(strings.ToLower(category), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words {
		for _, known := range wheelchairWords {
			if word == known {
				return true
			}
		}
	}
	return false
}
