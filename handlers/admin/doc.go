// Package admin holds the staff's pages: signing in, the overview, screenings with their rooms.
//
// Whoever is not signed in as staff is sent to sign in; whoever is staff and may not do something gets 403. What
// each role may do stands in roles.go.
package admin
