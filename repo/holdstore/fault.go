package holdstore

import "context"

// ForgetKey deletes what is remembered under an idempotency key, as if its life had ended. Fault tests only.
func (s *Store) ForgetKey(ctx context.Context, p int, screeningID, userID, key string) error {
	return translate(s.client.Del(ctx, idemKey(p, screeningID, userID, key)).Err())
}
