package admin

import "usher/service/domain"

// action is something that staff do on these pages.
type action int

// The actions.
const (
	look    action = iota // see every page
	pause                 // pause a sale
	rebuild               // make a screening's hold-store data anew from the ledger
	open                  // put a screening on sale, also after a pause
	closing               // end a sale
)

// needs returns the lowest role that may do it. Higher roles may do all that lower ones may.
func (a action) needs() domain.Role {
	switch a {
	case look:
		return domain.RoleViewer
	case pause, rebuild:
		return domain.RoleOperator
	case open, closing:
		return domain.RoleManager
	}
	return domain.RoleAdmin
}

func (a action) allowed(role domain.Role) bool { return role.AtLeast(a.needs()) }

// actionTo returns the action that moves a screening to a status; ok is false for a status that is not set here.
func actionTo(status domain.ScreeningStatus) (a action, ok bool) {
	switch status {
	case domain.ScreeningOnSale:
		return open, true
	case domain.ScreeningPaused:
		return pause, true
	case domain.ScreeningClosed:
		return closing, true
	case domain.ScreeningDraft, domain.ScreeningCancelled:
	}
	return 0, false
}
