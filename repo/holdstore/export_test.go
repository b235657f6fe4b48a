package holdstore

import "github.com/redis/go-redis/v9"

// What the tests of this package see of its inside.

// Client returns the client for commands.
func Client(s *Store) redis.UniversalClient { return s.client }

// Keys are the keys of one screening and of its partition.
type Keys struct {
	Store, Seats, Owners, Meta, Holds, Users, InFlight, InFlightRef, Events string
}

// KeysOf returns the keys of a screening.
func KeysOf(p int, screeningID string) Keys {
	pk, sk := keysOfPartition(p), keysOfScreening(p, screeningID)
	return Keys{
		Store: pk.store, Seats: sk.seats, Owners: sk.owners, Meta: sk.meta, Holds: sk.holds, Users: sk.users,
		InFlight: pk.inflight, InFlightRef: pk.inflightRef, Events: pk.events,
	}
}

// IdemKey returns the key of a remembered first answer.
var IdemKey = idemKey

// Translate is the translation of client errors.
var Translate = translate
