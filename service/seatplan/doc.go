// Package seatplan reads seat plan files into seat layouts.
//
// It knows three formats and tells them apart by content: the pretix seating plan (JSON), a seat list with
// coordinates and a seat list without (both CSV). It owns the checks of a file and the words in which its
// faults are told: every fault is named with its place and its value, all at once, and a file with a fault
// yields no layout. It does no I/O and keeps nothing between calls.
package seatplan
