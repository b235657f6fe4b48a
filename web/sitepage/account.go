package sitepage

import (
	"usher/web/component"
	"usher/web/layout"
)

// SignInPage is GET and POST /sign-in. Error is the one message about a wrong e-mail or password.
type SignInPage struct {
	layout.Page
	Email string
	Next  string
	Error string
}

// SignUpPage is GET and POST /sign-up.
type SignUpPage struct {
	layout.Page
	Email         string
	Name          string
	Next          string
	Error         string // about the whole form
	EmailError    string
	NameError     string
	PasswordError string
}

func (vm SignInPage) alert() *component.Alert { return formError(vm.Error) }
func (vm SignUpPage) alert() *component.Alert { return formError(vm.Error) }

func formError(text string) *component.Alert {
	if text == "" {
		return nil
	}
	return &component.Alert{Kind: "error", Text: text}
}

func (vm SignInPage) fields() []component.Field {
	return []component.Field{
		{Name: "email", Label: vm.T("account.email"), Type: "email", Value: vm.Email, Autocomplete: "username", Required: true},
		{Name: "password", Label: vm.T("account.password"), Type: "password", Autocomplete: "current-password", Required: true},
	}
}

func (vm SignUpPage) fields() []component.Field {
	return []component.Field{
		{Name: "email", Label: vm.T("account.email"), Type: "email", Value: vm.Email, Autocomplete: "username", Error: vm.EmailError, Required: true},
		{Name: "name", Label: vm.T("account.name"), Type: "text", Value: vm.Name, Autocomplete: "name", Error: vm.NameError, Required: true},
		{Name: "password", Label: vm.T("account.password"), Type: "password", Autocomplete: "new-password", Hint: vm.T("account.password_hint"), Error: vm.PasswordError, Required: true},
	}
}
