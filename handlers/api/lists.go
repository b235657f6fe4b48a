package api

import "usher/service/domain"

// Paging is the query of every list. It is exported because huma fills exported parts only.
type Paging struct {
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" doc:"Items of a page, 50 when it is left out."`
}

func (p Paging) domain() domain.Page { return domain.Page{After: p.Cursor, Limit: p.Limit}.Bounded() }

// list is one page of items. NextCursor is null on the last one.
type list[T any] struct {
	Items      []T     `json:"items" nullable:"false"`
	NextCursor *string `json:"next_cursor"`
}

func newList[T any](items []T, next string) list[T] {
	l := list[T]{Items: items}
	if next != "" {
		l.NextCursor = &next
	}
	return l
}
