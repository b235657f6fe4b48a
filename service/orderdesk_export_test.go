package service

// SetCodes makes payments draw booking codes from fn.
func (p *Payments) SetCodes(fn func() string) { p.desk.codes = fn }

// NewBookingCode draws a booking code.
func NewBookingCode() string { return newBookingCode() }
