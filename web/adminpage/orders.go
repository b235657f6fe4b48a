package adminpage

import "usher/web/layout"

// OrdersPage lists orders: GET /staff/orders?status=&q=&after=.
type OrdersPage struct {
	layout.Page
	Query    string
	Statuses []Option
	Rows     []OrderRow
	NextURL  string
	Filtered bool
}

// OrderRow is one order of the list. Look and Status come from component.OrderWord.
type OrderRow struct {
	ID      string
	Short   string // short id
	URL     string // may be empty
	Look    string
	Status  string
	Reason  string
	Title   string
	When    string
	Seats   string
	Total   string
	Email   string
	Created string
	UTC     string // exact instant, shown on hover
}
