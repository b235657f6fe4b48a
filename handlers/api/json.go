package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"usher/service/domain"
)

// jsonFormat reads and writes JSON for huma.
var jsonFormat = huma.Format{Marshal: writeJSON, Unmarshal: readJSON}

func writeJSON(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// placePrefix begins the text of an error that carries its place: huma hands on texts only.
const placePrefix = "json:"

func readJSON(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return errors.New(placePrefix + placeOf(data, syntax.Offset))
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return errors.New("a value is of the wrong type or out of range")
	}
	return err
}

// placeOf returns offset:line:column, counted from 0, 1 and 1 in bytes.
func placeOf(data []byte, offset int64) string {
	at := min(max(offset-1, 0), int64(len(data)))
	before := data[:at]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := int(at) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return strconv.FormatInt(at, 10) + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
}

func brokenJSON(place string) error {
	out := domain.ErrMalformed.Saying("The request body is not JSON.")
	for i, text := range strings.SplitN(place, ":", 3) {
		if n, err := strconv.Atoi(text); err == nil {
			out = out.With([]string{"offset", "line", "column"}[i], n)
		}
	}
	return out
}
