package sitepage

import "usher/web/layout"

// MyOrdersPage lists the visitor's own orders: GET /orders.
type MyOrdersPage struct {
	layout.Page
	Upcoming []OrderRow
	Past     []OrderRow
	NextURL  string // older ones, empty on the last page
}

// OrderRow is one order of a list. Look and Word come from component.OrderWord.
type OrderRow struct {
	URL    string
	Title  string
	When   string
	Where  string
	Seats  string
	Total  string
	Poster string
	Look   string
	Word   string
}
