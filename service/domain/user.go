package domain

import "time"

// UserKind tells guests, accounts and staff apart.
type UserKind string

// The kinds of a user.
const (
	UserGuest   UserKind = "guest"
	UserAccount UserKind = "account"
	UserStaff   UserKind = "staff"
)

// Role is what a staff member may do. Each role may all that the one before it may.
type Role string

// The roles, lowest first.
const (
	RoleNone     Role = ""
	RoleViewer   Role = "viewer"
	RoleOperator Role = "operator"
	RoleManager  Role = "manager"
	RoleAdmin    Role = "admin"
)

// Roles lists the staff roles, lowest first.
var Roles = []Role{RoleViewer, RoleOperator, RoleManager, RoleAdmin}

// AtLeast reports whether the role includes the other one.
func (r Role) AtLeast(other Role) bool { return r.rank() >= other.rank() }

func (r Role) rank() int {
	for i, x := range Roles {
		if x == r {
			return i + 1
		}
	}
	return 0
}

// User is somebody who holds seats, or staff.
type User struct {
	ID           string
	Kind         UserKind
	Email        string // lower case; empty for guests
	Name         string
	PasswordHash string
	Role         Role
	CreatedAt    time.Time
}

// Session binds a browser or an API client to a user.
type Session struct {
	UserID string
	Kind   UserKind
	Role   Role
}
