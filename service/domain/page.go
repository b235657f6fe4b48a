package domain

// Page asks for one page of a list. After is the cursor of the page before, empty for the first.
type Page struct {
	After string
	Limit int
}

// Bounds of a page.
const (
	PageDefault = 50
	PageMax     = 100
)

// Bounded returns the page with its limit inside the bounds.
func (p Page) Bounded() Page {
	if p.Limit <= 0 {
		p.Limit = PageDefault
	}
	p.Limit = min(p.Limit, PageMax)
	return p
}

// List is one page of items. Next is empty on the last page.
type List[T any] struct {
	Items []T
	Next  string
}
