package frame

import (
	"errors"

	"usher/service/domain"
	"usher/web/i18n"
)

// FieldErrors returns how to say what is wrong with a field of a form that broke a rule.
func FieldErrors(l *i18n.Localizer, err error) func(field string) string {
	var e *domain.Error
	if !errors.As(err, &e) {
		return func(string) string { return "" }
	}
	return func(field string) string {
		text, _ := e.Fields[field].(string)
		if text == "" {
			return ""
		}
		return l.Or(fieldKey(text), text)
	}
}

// fieldKey returns the message that translates a rule's sentence: the use cases speak English. One that is not
// here is shown as it is.
func fieldKey(sentence string) string {
	switch sentence {
	case "Enter your e-mail address.":
		return "field.required"
	case "This is not an e-mail address.":
		return "field.email"
	case "There is an account with this address.":
		return "field.email_taken"
	case "This e-mail address is too long.", "This name is too long.", "Use at most 128 characters.":
		return "field.too_long"
	case "Use at least 8 characters.":
		return "field.password_short"
	case "This is one of the first passwords anybody tries. Choose another one.":
		return "field.password_common"
	case "Choose a password that is not your e-mail address.":
		return "field.password_email"
	case "This name has signs that cannot be printed.", "This password has signs that cannot be read.":
		return "field.unreadable"
	}
	return ""
}
