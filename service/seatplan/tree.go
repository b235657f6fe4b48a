package seatplan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	maxDepth  = 16      // a plan is nine levels deep
	maxValues = 600_000 // 10,000 seats with every key have about 150,000
)

// node is a JSON value that keeps the order of its keys and the text of its numbers.
type node struct {
	kind  nodeKind
	text  string // a string's content, a number's digits, true or false
	keys  []string
	items []*node
}

type nodeKind uint8

const (
	nodeNull nodeKind = iota
	nodeBool
	nodeNumber
	nodeString
	nodeList
	nodeObject
)

// get returns the value of a key, nil when the object has no such key.
func (n *node) get(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

// String describes the value for a message.
func (n *node) String() string {
	switch n.kind {
	case nodeObject:
		return "an object"
	case nodeList:
		return "a list"
	case nodeString:
		return "the string " + quote(n.text)
	case nodeNumber:
		return "the number " + quote(n.text)
	case nodeBool:
		return n.text
	case nodeNull:
		return "null"
	}
	return "nothing"
}

var (
	errTooDeep = errors.New("the values are nested too deeply for a seat plan")
	errTooMany = errors.New("there are too many values for a seat plan")
)

// readTree reads one JSON value. A fault of the notation itself is told with line and column.
func readTree(data []byte, problems *Problems) *node {
	if !checkNotation(data, problems) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	reader := treeReader{decoder: decoder, left: maxValues}
	root, err := reader.value(0)
	if err != nil {
		problems.add(position(data, int(decoder.InputOffset())), err.Error())
		return nil
	}
	return root
}

// checkNotation reports whether the file is one JSON value and nothing else.
func checkNotation(data []byte, problems *Problems) bool {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var whole json.RawMessage
	err := decoder.Decode(&whole)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		problems.add(position(data, len(data)), "the file ends in the middle of a JSON value")
		return false
	case errors.As(err, &syntax):
		problems.add(position(data, int(syntax.Offset)-1), "the file is not JSON: "+syntax.Error())
		return false
	case err != nil:
		problems.add("", "the file is not JSON: "+err.Error())
		return false
	}
	end := int(decoder.InputOffset())
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		problems.add(position(data, len(data)-len(rest)), "something stands after the end of the plan")
		return false
	}
	return true
}

// position names a byte of the file by line and column, both from 1.
func position(data []byte, offset int) string {
	before := data[:max(0, min(offset, len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return fmt.Sprintf("line %d column %d", line, column)
}

type treeReader struct {
	decoder *json.Decoder
	left    int
}

func (r *treeReader) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	if r.left--; r.left < 0 {
		return nil, errTooMany
	}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("read a value: %w", err)
	}
	switch t := token.(type) {
	case json.Delim:
		return r.nested(t, depth)
	case string:
		return &node{kind: nodeString, text: t}, nil
	case json.Number:
		return &node{kind: nodeNumber, text: t.String()}, nil
	case bool:
		return &node{kind: nodeBool, text: fmt.Sprint(t)}, nil
	}
	return &node{kind: nodeNull}, nil
}

// nested reads the inside of a list or an object up to its end.
func (r *treeReader) nested(open json.Delim, depth int) (*node, error) {
	n := &node{kind: nodeList}
	if open == '{' {
		n.kind = nodeObject
	}
	for r.decoder.More() {
		if n.kind == nodeObject {
			token, err := r.decoder.Token()
			if err != nil {
				return nil, fmt.Errorf("read a key: %w", err)
			}
			key, _ := token.(string)
			n.keys = append(n.keys, key)
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	if _, err := r.decoder.Token(); err != nil {
		return nil, fmt.Errorf("read an end: %w", err)
	}
	return n, nil
}
