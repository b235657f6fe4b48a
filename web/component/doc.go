// Package component holds the parts that several pages share: the seat map and its generated style sheet, the
// screening's head, seat lines, counts in words, form fields.
//
// Builders turn domain values into strings that are ready to print. They compute no prices and ask nobody.
package component
