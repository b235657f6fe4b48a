package sitepage

import (
	"usher/web/component"
	"usher/web/layout"
)

// SandboxPayPage is the built-in test gateway's pay page: GET and POST /pay/sandbox/{payment_id}.
type SandboxPayPage struct {
	layout.Page
	PaymentID string
	Amount    string
	Payee     string // the cinema
	OrderURL  string
	Done      string // what was already decided, empty while the payment is open
	Alert     *component.Alert
}

// outcome is one button of the pay page.
type outcome struct{ Value, Label, Hint string }

func (vm SandboxPayPage) others() []outcome {
	return []outcome{
		{"decline", vm.T("sandbox.decline"), vm.T("sandbox.decline_hint")},
		{"timeout", vm.T("sandbox.timeout"), vm.T("sandbox.timeout_hint")},
		{"duplicate", vm.T("sandbox.duplicate"), vm.T("sandbox.duplicate_hint")},
		{"late", vm.T("sandbox.late"), vm.T("sandbox.late_hint")},
	}
}
