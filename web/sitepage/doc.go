// Package sitepage holds the moviegoers' pages: one page is <page>.templ and <page>.go with its view model.
//
// View models contain strings and flags that are ready to print. Pages decide nothing about seats, money or time.
package sitepage
