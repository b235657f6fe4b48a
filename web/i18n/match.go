package i18n

import "golang.org/x/text/language"

// Match returns the language to answer in: the cookie's when it is one of ours, else the best of the
// Accept-Language header, else English.
func Match(cookie, acceptLanguage string) string {
	for _, l := range Languages() {
		if cookie == l.Code {
			return l.Code
		}
	}
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil || len(wanted) == 0 {
		return English
	}
	_, i, confidence := language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese}).Match(wanted...)
	if confidence == language.No || i == 0 {
		return English
	}
	return Chinese
}

// Known reports whether lang is one of the languages of the switch.
func Known(lang string) bool {
	for _, l := range Languages() {
		if l.Code == lang {
			return true
		}
	}
	return false
}
