package domain

import (
	"errors"
	"time"
)

// Kind classes an error by what the caller can do about it. handlers/response maps kinds to HTTP.
type Kind string

// The kinds, from the caller's mistake to our own.
const (
	KindInvalid         Kind = "invalid"
	KindMalformed       Kind = "malformed"
	KindTooLarge        Kind = "too_large"
	KindUnauthenticated Kind = "unauthenticated"
	KindForbidden       Kind = "forbidden"
	KindNotFound        Kind = "not_found"
	KindConflict        Kind = "conflict"
	KindGone            Kind = "gone"
	KindRateLimited     Kind = "rate_limited"
	KindUnavailable     Kind = "unavailable"
	KindInternal        Kind = "internal"
)

// Error is the one error type that crosses package boundaries.
//
// Code is the stable machine word of the contract (for example seat_taken). Message is safe to show.
// Fields carries the parts of the answer that name what is wrong (for example taken: [A1]).
// Err is the cause, for logs only.
type Error struct {
	Kind       Kind
	Code       string
	Message    string
	Fields     map[string]any
	RetryAfter time.Duration
	Err        error
}

// Error returns the message with its cause, for logs.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Code + ": " + e.Message + ": " + e.Err.Error()
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is a domain error with the same code, so that sentinels match their decorated copies.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns a copy of the error that names one more thing.
func (e *Error) With(field string, value any) *Error {
	c := *e
	c.Fields = make(map[string]any, len(e.Fields)+1)
	for k, v := range e.Fields {
		c.Fields[k] = v
	}
	c.Fields[field] = value
	return &c
}

// Because returns a copy of the error with its cause.
func (e *Error) Because(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// Saying returns a copy of the error with another message.
func (e *Error) Saying(message string) *Error {
	c := *e
	c.Message = message
	return &c
}

// KindOf returns the kind of the first domain error in the chain, KindInternal when there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInternal
}

// CodeOf returns the code of the first domain error in the chain, "internal" when there is none.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return "internal"
}

// The errors of the contract. Decorate them with With, Because and Saying; compare with errors.Is.
var (
	ErrNotFound        = &Error{Kind: KindNotFound, Code: "not_found", Message: "There is no such thing here."}
	ErrUnauthenticated = &Error{Kind: KindUnauthenticated, Code: "unauthenticated", Message: "Please sign in."}
	ErrBadCredentials  = &Error{Kind: KindUnauthenticated, Code: "bad_credentials", Message: "E-mail or password is not right."}
	ErrForbidden       = &Error{Kind: KindForbidden, Code: "forbidden", Message: "Your account may not do this."}
	ErrInvalid         = &Error{Kind: KindInvalid, Code: "invalid", Message: "The request breaks a rule."}
	ErrMalformed       = &Error{Kind: KindMalformed, Code: "malformed", Message: "The request cannot be read."}
	ErrTooLarge        = &Error{Kind: KindTooLarge, Code: "too_large", Message: "The request body is too large."}

	ErrKeyMissing   = &Error{Kind: KindMalformed, Code: "idempotency_key_missing", Message: "Send an Idempotency-Key header of 1 to 255 visible ASCII characters."}
	ErrKeyReused    = &Error{Kind: KindInvalid, Code: "idempotency_key_reused", Message: "This Idempotency-Key was used for another request."}
	ErrSeatUnknown  = &Error{Kind: KindInvalid, Code: "seat_unknown", Message: "The plan has no such seat."}
	ErrSeatTwice    = &Error{Kind: KindInvalid, Code: "seat_duplicated", Message: "A seat is named twice."}
	ErrNoSeats      = &Error{Kind: KindInvalid, Code: "no_seats", Message: "Name at least one seat."}
	ErrTooManySeats = &Error{Kind: KindInvalid, Code: "too_many_seats", Message: "Too many seats for one hold."}
	ErrOrphanSeat   = &Error{Kind: KindInvalid, Code: "orphan_seat", Message: "This choice would leave a single free seat."}
	ErrSeatTaken    = &Error{Kind: KindConflict, Code: "seat_taken", Message: "A seat is gone."}
	ErrSoldOut      = &Error{Kind: KindConflict, Code: "sold_out", Message: "There are not enough free places."}
	ErrLimit        = &Error{Kind: KindConflict, Code: "limit_exceeded", Message: "This is more than one person may hold for this screening."}
	ErrSaleClosed   = &Error{Kind: KindConflict, Code: "sale_closed", Message: "This screening is not on sale."}
	ErrOneMoment    = &Error{Kind: KindUnavailable, Code: "one_moment", Message: "One moment, the seat map is being refreshed.", RetryAfter: time.Second}
	ErrBusy         = &Error{Kind: KindUnavailable, Code: "busy", Message: "Too many requests are under way.", RetryAfter: 2 * time.Second}
	ErrUnavailable  = &Error{Kind: KindUnavailable, Code: "unavailable", Message: "A part of the box office is away for a moment.", RetryAfter: 2 * time.Second}
	ErrConfirming   = &Error{Kind: KindConflict, Code: "confirming", Message: "The hold is still being confirmed."}
	ErrExpired      = &Error{Kind: KindGone, Code: "expired", Message: "The hold has ended."}
	ErrLost         = &Error{Kind: KindGone, Code: "lost", Message: "This hold was lost. Please choose again."}
	ErrNotConfirmed = &Error{Kind: KindConflict, Code: "not_confirmed", Message: "The hold could not be confirmed. Its seats were given back."}
	ErrOrderState   = &Error{Kind: KindConflict, Code: "order_state", Message: "The order is in another state."}
	ErrTooLate      = &Error{Kind: KindConflict, Code: "too_late", Message: "The rules of this screening no longer allow it."}
	ErrSignature    = &Error{Kind: KindUnauthenticated, Code: "bad_signature", Message: "The signature is not right."}

	// ErrVersionConflict means that a guarded update met another version of its row.
	ErrVersionConflict = &Error{Kind: KindConflict, Code: "version_conflict", Message: "The record has changed meanwhile."}
	// ErrDuplicate means that a unique rule refused a row; Fields names the rule.
	ErrDuplicate = &Error{Kind: KindConflict, Code: "duplicate", Message: "This exists already."}
	// ErrLockTimeout means that a row lock was not granted in time. It is nobody's fault and ends nothing.
	ErrLockTimeout = &Error{Kind: KindUnavailable, Code: "lock_timeout", Message: "The record is in use.", RetryAfter: time.Second}
	// ErrSerialization means a deadlock, a serialization failure or a busy file: run the transaction again.
	ErrSerialization = &Error{Kind: KindUnavailable, Code: "serialization", Message: "The record is in use.", RetryAfter: time.Second}

	// ErrNotWarmed (-1), ErrStoreChanged (-8), ErrStaleEpoch and ErrRebuilding (-4) are the hold store's ways
	// of saying that a screening must be rebuilt or reloaded before it can be judged.
	ErrNotWarmed    = &Error{Kind: KindUnavailable, Code: "not_warmed", Message: "One moment, the seat map is being refreshed.", RetryAfter: time.Second}
	ErrStoreChanged = &Error{Kind: KindUnavailable, Code: "store_changed", Message: "One moment, the seat map is being refreshed.", RetryAfter: time.Second}
	ErrStaleEpoch   = &Error{Kind: KindUnavailable, Code: "stale_epoch", Message: "One moment, the seat map is being refreshed.", RetryAfter: time.Second}
	ErrRebuilding   = &Error{Kind: KindUnavailable, Code: "rebuilding", Message: "One moment, the seat map is being refreshed.", RetryAfter: time.Second}
	// ErrScript means that a script or its data is broken: not retried, alerted.
	ErrScript = &Error{Kind: KindInternal, Code: "script_error", Message: "Something is broken on our side. Nothing was taken."}
)
