package sitepage

import "usher/web/layout"

// ErrorPage is every answer that is no page of its own: 404, 409, 410, 422, 429, 500, 503.
type ErrorPage struct {
	layout.Page
	Status    int
	Message   string // safe to show, in the page's language; empty for the usual text of the status
	RequestID string
	BackURL   string // where to go on; / when empty
	Retry     bool   // whether loading the page again may help
}

// usual returns heading and text of a status.
func (vm ErrorPage) usual() (heading, text string) {
	switch vm.Status {
	case 401, 403:
		return vm.T("error.forbidden.title"), vm.T("error.forbidden.text")
	case 404:
		return vm.T("error.not_found.title"), vm.T("error.not_found.text")
	case 409:
		return vm.T("error.conflict.title"), vm.T("error.conflict.text")
	case 410:
		return vm.T("error.gone.title"), vm.T("error.gone.text")
	case 400, 413, 422:
		return vm.T("error.invalid.title"), vm.T("error.invalid.text")
	case 429:
		return vm.T("error.slow.title"), vm.T("error.slow.text")
	case 503:
		return vm.T("error.moment.title"), vm.T("error.moment.text")
	}
	return vm.T("error.internal.title"), vm.T("error.internal.text")
}

func (vm ErrorPage) heading() string { h, _ := vm.usual(); return h }

func (vm ErrorPage) text() string {
	if vm.Message != "" {
		return vm.Message
	}
	_, t := vm.usual()
	return t
}

func (vm ErrorPage) back() string {
	if vm.BackURL == "" {
		return "/"
	}
	return vm.BackURL
}
