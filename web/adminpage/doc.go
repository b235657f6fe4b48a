// Package adminpage holds the staff's pages: one page is <page>.templ and <page>.go with its view model.
//
// Numbers are links to what they count, and every count of waiting work has the age of its oldest piece beside it.
// Roles are not decided here: a flag of the view model says which actions to draw.
package adminpage
