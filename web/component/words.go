package component

import (
	"usher/service/domain"
	"usher/web"
	"usher/web/i18n"
)

// Availability says in words how many seats are left, and in one word which look that has: open, few, sold_out.
func Availability(l *i18n.Localizer, free, capacity int) (look, words string) {
	switch {
	case free <= 0:
		return "sold_out", l.T("free.sold_out")
	case free <= 8:
		return "few", l.T("free.left", "Count", free)
	case free*8 <= capacity:
		return "few", l.T("free.few")
	case free*3 <= capacity:
		return "open", l.T("free.filling")
	}
	return "open", l.T("free.plenty")
}

// PosterURL returns the address of a drawn poster, the default one for a key without a drawing.
func PosterURL(key string) string {
	if name := "posters/" + key + ".svg"; key != "" && web.Exists(name) {
		return web.Asset(name)
	}
	return web.Asset("posters/default.svg")
}

// OrderWord returns the name of an order's state and the look of its badge: ok, busy, bad or calm.
func OrderWord(l *i18n.Localizer, status domain.OrderStatus) (look, word string) {
	word = l.T("order.status." + string(status))
	switch status {
	case domain.OrderPaid:
		return "ok", word
	case domain.OrderConfirming, domain.OrderReserved, domain.OrderPaying, domain.OrderRefunding:
		return "busy", word
	case domain.OrderFailed, domain.OrderExpired:
		return "bad", word
	case domain.OrderCancelled, domain.OrderRefunded, domain.OrderNone:
		return "calm", word
	}
	return "calm", word
}

// ReasonText explains to the buyer why an order ended, empty when there is nothing to add.
func ReasonText(l *i18n.Localizer, reason domain.Reason) string {
	if reason == domain.ReasonNone {
		return ""
	}
	return l.Or("order.reason."+string(reason), "")
}

// ScreeningWord returns the name of a screening's status and the look of its badge.
func ScreeningWord(l *i18n.Localizer, status domain.ScreeningStatus) (look, word string) {
	word = l.T("screening.status." + string(status))
	switch status {
	case domain.ScreeningOnSale:
		return "ok", word
	case domain.ScreeningPaused:
		return "busy", word
	case domain.ScreeningCancelled:
		return "bad", word
	case domain.ScreeningDraft, domain.ScreeningClosed:
		return "calm", word
	}
	return "calm", word
}

// BookingGroups splits a booking code into groups of four, as it is read out.
func BookingGroups(code string) []string {
	var out []string
	runes := []rune(code)
	for len(runes) > 4 {
		out = append(out, string(runes[:4]))
		runes = runes[4:]
	}
	if len(runes) > 0 {
		out = append(out, string(runes))
	}
	return out
}
