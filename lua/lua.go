// Package lua holds the hold store's scripts. Each is one atomic step: all checks first, all writes last, only
// declared keys, the clock as an argument. Only repo/holdstore runs them.
package lua

import _ "embed"

// The scripts; the comment at the head of each file lists KEYS, ARGV and every answer.
var (
	//go:embed hold_seats.lua
	HoldSeats string
	//go:embed give_back.lua
	GiveBack string
	//go:embed confirm_hold.lua
	ConfirmHold string
	//go:embed repair_seats.lua
	RepairSeats string
	//go:embed rebuild_screening.lua
	RebuildScreening string
	//go:embed snapshot_screening.lua
	SnapshotScreening string
	//go:embed set_settings.lua
	SetSettings string
)
