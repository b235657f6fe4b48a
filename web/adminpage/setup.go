package adminpage

import (
	"usher/web/component"
	"usher/web/layout"
)

// SetupPage makes the first admin from the one-time link: GET /staff/setup?token=, POST /staff/setup.
type SetupPage struct {
	layout.Page
	Token         string
	Email         string
	Error         string // about the whole form
	EmailError    string
	PasswordError string
}

// SignInPage is GET and POST /staff/sign-in.
type SignInPage struct {
	layout.Page
	Email string
	Next  string
	Error string
}

func (vm SetupPage) alert() *component.Alert  { return formError(vm.Error) }
func (vm SignInPage) alert() *component.Alert { return formError(vm.Error) }

func formError(text string) *component.Alert {
	if text == "" {
		return nil
	}
	return &component.Alert{Kind: "error", Text: text}
}

func (vm SetupPage) fields() []component.Field {
	return []component.Field{
		{Name: "email", Label: vm.T("account.email"), Type: "email", Value: vm.Email, Autocomplete: "username", Error: vm.EmailError, Required: true},
		{Name: "password", Label: vm.T("account.password"), Type: "password", Autocomplete: "new-password", Hint: vm.T("account.password_hint"), Error: vm.PasswordError, Required: true},
	}
}

func (vm SignInPage) fields() []component.Field {
	return []component.Field{
		{Name: "email", Label: vm.T("account.email"), Type: "email", Value: vm.Email, Autocomplete: "username", Required: true},
		{Name: "password", Label: vm.T("account.password"), Type: "password", Autocomplete: "current-password", Required: true},
	}
}
