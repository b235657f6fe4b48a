package service

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"usher/service/domain"
)

// Bounds of what people type about themselves.
const (
	emailMax = 254
	nameMax  = 100
)

// normalEmail trims an address and makes it lower case, the form in which addresses are stored and compared.
func normalEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// emailProblem says what is wrong with a normal address; empty when nothing is.
func emailProblem(s string) string {
	switch {
	case s == "":
		return "Enter your e-mail address."
	case len(s) > emailMax:
		return "This e-mail address is too long."
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || a.Name != "" || !clean(s) || strings.ContainsAny(s, " \"<>") {
		return "This is not an e-mail address."
	}
	return ""
}

// nameProblem says what is wrong with a trimmed name; empty when nothing is.
func nameProblem(s string) string {
	switch {
	case utf8.RuneCountInString(s) > nameMax:
		return "This name is too long."
	case !clean(s):
		return "This name has signs that cannot be printed."
	}
	return ""
}

// clean reports whether a text is one line that every database and printer takes.
func clean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// checkBuyer normalises the buyer's data in place. ErrInvalid names each field with its problem.
func checkBuyer(req *CheckoutRequest) error {
	req.Email, req.Name = normalEmail(req.Email), strings.TrimSpace(req.Name)
	return invalid(map[string]string{"email": emailProblem(req.Email), "name": nameProblem(req.Name)})
}

// invalid returns ErrInvalid with the fields that have a problem, nil when none has.
func invalid(problems map[string]string) error {
	var err *domain.Error
	for field, problem := range problems {
		if problem == "" {
			continue
		}
		if err == nil {
			err = domain.ErrInvalid
		}
		err = err.With(field, problem)
	}
	if err == nil {
		return nil
	}
	return err
}
