// Package jobs decides when, how many at once, how long and how often work runs. What the work is belongs to
// package service; nothing here knows a rule about seats or money.
//
// A Loop runs on every instance for as long as it lives (settlement, effects, watchdog, seat feed, heartbeat);
// a cron entry runs on one instance at a time (Scheduler).
package jobs
