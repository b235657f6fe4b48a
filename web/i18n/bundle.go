package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// The languages that every page speaks, as the values of the html lang attribute and of the lang cookie.
const (
	English = "en"
	Chinese = "zh-CN"
)

// Lang is one entry of the language switch. Name is in the language itself.
type Lang struct {
	Code string
	Name string
}

// Languages lists the languages in the order of the switch.
func Languages() []Lang {
	return []Lang{{Code: English, Name: "English"}, {Code: Chinese, Name: "简体中文"}}
}

//go:embed active.*.json
var messageFiles embed.FS

// MessageFile returns the embedded messages of a language, for tests that compare the files.
func MessageFile(lang string) ([]byte, error) {
	b, err := messageFiles.ReadFile("active." + lang + ".json")
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	return b, nil
}

// bundle parses the embedded files once. They are part of the program, so a file that does not parse is a
// programmer's error and panics in the first test.
var bundle = sync.OnceValue(func() *goi18n.Bundle {
	b := goi18n.NewBundle(language.English)
	b.RegisterUnmarshalFunc("json", json.Unmarshal)
	for _, l := range Languages() {
		if _, err := b.LoadMessageFileFS(messageFiles, "active."+l.Code+".json"); err != nil {
			panic(fmt.Sprintf("i18n: load %s: %v", l.Code, err))
		}
	}
	return b
})
