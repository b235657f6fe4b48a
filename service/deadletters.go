package service

import (
	"encoding/json"
	"sort"

	"usher/service/domain"
)

// eventOf reads the event back that became the dead letter; ok is false when it never could be read.
func eventOf(d domain.DeadLetter) (e domain.Event, ok bool) {
	if json.Unmarshal([]byte(d.Payload), &e) != nil || e.HoldID == "" || e.HoldID != d.OrderID {
		return domain.Event{}, false
	}
	return e, true
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
