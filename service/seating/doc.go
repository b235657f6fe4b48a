// Package seating answers questions about neighbours: which seats stand side by side, which choice would
// strand a single seat, and which seats are the best ones for a party.
//
// Neighbours come from positions, never from numbers: real rooms count in odd and even halves, backwards and
// in circles, their rows bend, stand at two heights or run along a wall. The package is pure; what is free is
// asked of its caller.
package seating
