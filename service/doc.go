// Package service holds usher's use cases. Handlers and jobs call it; it calls repo (the ledger) and
// repo/holdstore (the hold store), and knows neither HTTP nor SQL nor Redis.
//
// Who does what: Catalog reads the programme, SeatFeed the live maps; Holds takes seats; Settlement writes
// holds into the ledger; Effects mirrors ledger decisions back; Rebuild and its watchdog bring a screening's
// hold-store data to what the ledger says; Expiry ends what ran out; Checkout and Payments turn an order into a
// ticket; Accounts knows people. Nothing here keeps correctness in memory: every instance may die at any line.
package service
