// Package demo draws up the demonstration cinema: its rooms, its films and a week of screenings around now.
//
// The rooms are of our own drawing and hold what real rooms hold: bent rows, rows at two heights, aisles
// wider than four seats, a balcony whose rows are called like those of the stalls, wheelchair places with
// their companions' and love seats. The package builds values only; storing them is its caller's.
package demo
