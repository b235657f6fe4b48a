package holdstore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"usher/service/domain"
)

// Every key of the hold store is built here. All keys of one script share the tag {pNN}, so that they live in
// one slot of a cluster. User text is hashed before it becomes part of a key.

type partitionKeys struct {
	store, inflight, inflightRef, events string
}

func keysOfPartition(p int) partitionKeys {
	prefix := fmt.Sprintf("usher:{p%02d}:", p)
	return partitionKeys{
		store:       prefix + "store",
		inflight:    prefix + "inflight",
		inflightRef: prefix + "inflight_ref",
		events:      prefix + "events",
	}
}

type screeningKeys struct {
	seats, owners, meta, holds, users string
}

func keysOfScreening(p int, screeningID string) screeningKeys {
	prefix := fmt.Sprintf("usher:{p%02d}:scr:%s:", p, screeningID)
	return screeningKeys{
		seats:  prefix + "seats",
		owners: prefix + "owners",
		meta:   prefix + "meta",
		holds:  prefix + "holds",
		users:  prefix + "users",
	}
}

func idemKey(p int, screeningID, userID, key string) string {
	sum := sha256.Sum256([]byte(key))
	return fmt.Sprintf("usher:{p%02d}:idem:%s:%s:%s", p, screeningID, userID, hex.EncodeToString(sum[:16]))
}

// group is the consumer group of the settlement workers.
const group = "settlers"

// allPartitions lists 0..15.
func allPartitions() []int {
	ps := make([]int, domain.Partitions)
	for i := range ps {
		ps[i] = i
	}
	return ps
}
