package i18n

import (
	"fmt"
	"strings"

	"github.com/bojanz/currency"
	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
)

// Localizer speaks one language. It is safe for concurrent use; make one per language and keep it.
type Localizer struct {
	lang     string
	messages *goi18n.Localizer
	money    currency.Locale
}

// New returns the localizer of a language, English for one that is not ours.
func New(lang string) *Localizer {
	if !Known(lang) {
		lang = English
	}
	return &Localizer{
		lang:     lang,
		messages: goi18n.NewLocalizer(bundle(), lang),
		money:    currency.NewLocale(lang),
	}
}

// Lang returns the language code.
func (l *Localizer) Lang() string { return l.lang }

// T returns the message of a key. Args are name-value pairs for its placeholders; the name "Count" also chooses
// the plural form. A key that does not exist comes back in brackets, so that a page shows the mistake and goes on.
func (l *Localizer) T(key string, args ...any) string {
	text, err := l.lookup(key, args...)
	if err != nil {
		return "[" + key + "]"
	}
	return text
}

// Or returns the message of a key that may not exist, else the fallback. It serves words that staff choose,
// such as price tiers.
func (l *Localizer) Or(key, fallback string) string {
	text, err := l.lookup(key)
	if err != nil {
		return fallback
	}
	return text
}

func (l *Localizer) lookup(key string, args ...any) (string, error) {
	config := &goi18n.LocalizeConfig{MessageID: key}
	if len(args) > 0 {
		data := make(map[string]any, len(args)/2)
		for i := 0; i+1 < len(args); i += 2 {
			name, ok := args[i].(string)
			if !ok {
				return "", fmt.Errorf("localize %s: argument %d is no name", key, i)
			}
			data[name] = args[i+1]
		}
		config.TemplateData = data
		if n, ok := data["Count"]; ok {
			config.PluralCount = n
		}
	}
	text, err := l.messages.Localize(config)
	if err != nil {
		return "", fmt.Errorf("localize %s: %w", key, err)
	}
	return text, nil
}

// Tier returns the name of a price tier: the translation of a usual one, else the plan's own word.
func (l *Localizer) Tier(name string) string {
	return l.Or("tier."+strings.ToLower(name), name)
}

// Money formats an amount of minor units in its currency.
func (l *Localizer) Money(minor int64, code string) string {
	amount, err := currency.NewAmountFromInt64(minor, code)
	if err != nil {
		return fmt.Sprintf("%d %s", minor, code)
	}
	return currency.NewFormatter(l.money).Format(amount)
}

// List joins words in the way of the language.
func (l *Localizer) List(words []string) string {
	return strings.Join(words, l.T("list.separator"))
}
