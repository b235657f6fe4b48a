package service

import "github.com/google/uuid"

// NewID returns a UUIDv7 (RFC 9562).
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// isID reports whether a text from outside can be an id of ours; stores are asked for nothing else.
func isID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }

const hexDigits = "0123456789abcdef"

// newHoldID returns a UUIDv7 whose last hex digit is the hold's partition.
func newHoldID(partition int) string {
	id := []byte(NewID())
	id[len(id)-1] = hexDigits[partition]
	return string(id)
}

// partitionOfHold reads the partition out of a hold's id; ok is false for what cannot be a hold's id.
func partitionOfHold(id string) (p int, ok bool) {
	if !isID(id) {
		return 0, false
	}
	c := id[len(id)-1]
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0'), true
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10, true
	}
	return 0, false
}
