// Package domain holds usher's words: types, states, legal transitions and errors.
//
// Everything may import it; it imports the standard library only and does no I/O.
// The words are listed in docs/glossary.md, one word per thing.
package domain
