package holdstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"usher/service/domain"
)

// KeyOf is the scope of an idempotency key.
type KeyOf struct{ ScreeningID, UserID, Key string }

// Remembered returns what an accepted hold left under its key; found is false when nothing is remembered.
func (s *Store) Remembered(ctx context.Context, p int, k KeyOf) (first FirstAnswer, found bool, err error) {
	text, err := s.client.Get(ctx, idemKey(p, k.ScreeningID, k.UserID, k.Key)).Result()
	if errors.Is(err, redis.Nil) {
		return FirstAnswer{}, false, nil
	}
	if err != nil {
		return FirstAnswer{}, false, translate(err)
	}
	parts := strings.SplitN(text, "|", 4)
	if len(parts) != 4 || parts[0] != recordVersion {
		return FirstAnswer{}, false, domain.ErrScript.Because(fmt.Errorf("the hold store holds a broken idem"))
	}
	return FirstAnswer{UserID: k.UserID, Key: k.Key, Fingerprint: parts[1], HoldID: parts[2], Answer: parts[3]}, true, nil
}
