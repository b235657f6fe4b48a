package holdstore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// QuietClient turns off go-redis' own lines on stderr: every failure reaches the caller as an error and is logged
// once, there. The library keeps its logger in a package variable, so only the program's main calls this, once.
func QuietClient() { redis.SetLogger(silence{}) }

type silence struct{}

// Printf drops the line.
func (silence) Printf(context.Context, string, ...any) {}
