// Package frame is what the moviegoers' and the staff's pages share: the base of every view model, the cinema with
// its zone, flash messages, sessions in cookies, and the page of a problem.
package frame
