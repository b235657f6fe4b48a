package adminpage

import "usher/web/layout"

// OverviewPage is the staff's home: GET /staff. A script keeps its numbers fresh from /api/v1/admin/overview.
type OverviewPage struct {
	layout.Page
	Counters   []Counter
	Stores     []StoreState
	Partitions []PartitionRow // may be empty
	UpdatedAt  string         // 19:30:05 CEST
	AllWell    bool           // nothing waits for a person
}

// Counter is one number of the overview. Path names its place in the answer of the overview call, with dots;
// AgePath the age in milliseconds of its oldest piece. Look is ok, busy, bad or calm.
type Counter struct {
	Label   string
	Value   string
	Unit    string // ms, /s or empty
	Path    string
	URL     string // what it counts; empty when there is no list of it
	Age     string // oldest 3 min, empty when there is none
	AgePath string
	Look    string
}

// StoreState says whether a store answers. Path names a string of the overview call: up, slow or down.
type StoreState struct {
	Name string
	Word string
	Note string // postgres 16, run id ...
	Look string
	Path string
}

// PartitionRow is one of the sixteen shares of the hold store.
type PartitionRow struct {
	Name     string
	InFlight string
	Lag      string
	Settled  string // last settled stream id
	Worker   string
}
