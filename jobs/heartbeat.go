package jobs

import (
	"time"

	"usher/service"
)

const beatEvery = time.Second

// Heartbeat tells the ledger each second that this instance lives, and measures its clock every 30 s.
func Heartbeat(l *Loops, i *service.Instance) {
	l.Every("heartbeat", beatEvery, nil, i.Beat)
	l.Every("clock", clockEvery, nil, i.MeasureClock)
}

const clockEvery = 30 * time.Second
