package seatplan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxCoordinate bounds every number of a plan.
const maxCoordinate = 1e6

// maxKeys bounds the keys of one object; the format's richest has twelve.
const maxKeys = 64

// walk checks values of a JSON tree and notes what is wrong with their places.
type walk struct{ problems *Problems }

func join(place, key string) string {
	if place == "" {
		return key
	}
	return place + "." + key
}

func at(place string, i int) string { return place + "[" + strconv.Itoa(i) + "]" }

// object reports whether the value is an object; keys that are unknown or stand twice are problems.
func (w walk) object(n *node, place string, known ...string) bool {
	if n.kind != nodeObject {
		w.problems.add(place, "object expected, got "+n.String())
		return false
	}
	if len(n.keys) > maxKeys {
		w.problems.add(place, plural(len(n.keys), "key")+" are too many for one object")
		return false
	}
	for i, key := range n.keys {
		if slices.Contains(n.keys[:i], key) {
			w.problems.add(join(place, key), "the key stands twice")
		}
		if !slices.Contains(known, key) {
			w.unknown(n.items[i], key, place)
		}
	}
	return true
}

// unknown tells of a key that the format does not have, and of the seats that would be lost with it.
func (w walk) unknown(n *node, key, place string) {
	var ids []string
	collectIDs(n, &ids)
	name := strings.Trim(quote(key), "`")
	if len(ids) == 0 {
		w.problems.add(join(place, name), "the key is not known here")
		return
	}
	where, lacks := "at "+place, "row"
	if place == "" {
		where, lacks = "at the top level", "zone"
	}
	verb := "belong"
	if len(ids) == 1 {
		verb = "belongs"
	}
	w.problems.add(join(place, name), fmt.Sprintf("`%s` %s: %s (%s) %s to no %s",
		name, where, plural(len(ids), "seat"), quote(ids[0]), verb, lacks))
}

// collectIDs gathers the ids of all seats below a value.
func collectIDs(n *node, ids *[]string) {
	if id := n.get("seat_guid"); id != nil {
		*ids = append(*ids, id.text)
	}
	for _, item := range n.items {
		collectIDs(item, ids)
	}
}

// list returns the items of a required list.
func (w walk) list(n *node, place, key string) []*node {
	v := w.required(n, place, key)
	if v == nil {
		return nil
	}
	if v.kind != nodeList {
		w.problems.add(join(place, key), "list expected, got "+v.String())
		return nil
	}
	return v.items
}

func (w walk) required(n *node, place, key string) *node {
	v := n.get(key)
	if v == nil {
		w.problems.add(place, fmt.Sprintf("`%s` is missing", key))
	}
	return v
}

// text returns a string; a missing or wrong one is a problem and false.
func (w walk) text(n *node, place, key string) (string, bool) {
	v := w.required(n, place, key)
	if v == nil {
		return "", false
	}
	if v.kind != nodeString {
		w.problems.add(join(place, key), "string expected, got "+v.String())
		return "", false
	}
	return v.text, true
}

// label returns a string without white space around it, within the limit.
func (w walk) label(n *node, place, key string, limit int) (string, bool) {
	raw, ok := w.text(n, place, key)
	if !ok {
		return "", false
	}
	label, fault := cleanLabel(raw, limit)
	if fault != "" {
		w.problems.add(join(place, key), fault)
		return "", false
	}
	return label, true
}

// texts checks keys that may be missing but must be strings.
func (w walk) texts(n *node, place string, keys ...string) {
	for _, key := range keys {
		if n.get(key) != nil {
			w.text(n, place, key)
		}
	}
}

// number returns a number; a missing one is a problem.
func (w walk) number(n *node, place, key string) float64 {
	v := w.required(n, place, key)
	if v == nil {
		return 0
	}
	if v.kind != nodeNumber {
		w.problems.add(join(place, key), "number expected, got "+v.String())
		return 0
	}
	value, err := strconv.ParseFloat(v.text, 64)
	if err != nil || math.Abs(value) > maxCoordinate {
		w.problems.add(join(place, key), "the number "+quote(v.text)+" is out of range")
		return 0
	}
	return value
}

// numbers checks keys that may be missing but must be numbers.
func (w walk) numbers(n *node, place string, keys ...string) {
	for _, key := range keys {
		if n.get(key) != nil {
			w.number(n, place, key)
		}
	}
}

// point returns the x and y of a position.
func (w walk) point(n *node, place string) (x, y float64) {
	if !w.object(n, place, "x", "y") {
		return 0, 0
	}
	return w.number(n, place, "x"), w.number(n, place, "y")
}

// choice checks a key that may be missing but must be one of the words.
func (w walk) choice(n *node, place, key string, words ...string) {
	v := n.get(key)
	if v == nil {
		return
	}
	if v.kind != nodeString || !slices.Contains(words, v.text) {
		w.problems.add(join(place, key), "one of "+strings.Join(words, ", ")+" expected, got "+v.String())
	}
}
