// Package site holds the moviegoers' pages: what is on, the choice of seats, orders, paying, accounts.
//
// Handlers find out who asks, read the form, call one use case, build the page's view model and draw it. They
// decide nothing about seats or money. Every page works without a script.
package site
