// Package i18n turns message keys, money and instants into the words of one language.
//
// It owns the two message files and every format of a number, an amount or a time that a page prints. It does no
// I/O beyond its embedded files, knows no request and reads no clock: instants and zones come in as arguments.
package i18n
