package cloud

import (
	"context"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// LiveObjects reads a complete collection, with a reading that makes live objects of attributes. Clients that share all its answers get the
// same list and the same index. So each further client costs neither time nor memory for the objects, however many there are.
func LiveObjects[Attributes any](ctx context.Context, c *Client, call Call, field string, as Reading[Attributes, *kind.Live]) (*kind.Index, error) {
	if c.with == nil || c.with.keeps() == 0 {
		var all []*kind.Live
		err := EachRead(ctx, c, call, field, as, func(l *kind.Live) error {
			all = append(all, l)
			return nil
		})
		if err != nil {
			return nil, err
		}
		return kind.IndexOf(all), nil
	}
	l, err := pagesOf(ctx, c, call, field, as, nil)
	if err != nil {
		return nil, err
	}
	return l.indexes[len(l.indexes)-1].joined(l.indexes), nil
}

// pageIndex has the objects of a page, and the index of the list that ends with this page.
type pageIndex struct {
	items []*kind.Live

	mu    sync.Mutex
	pages []*pageIndex // the pages of the list
	index *kind.Index
}

// joined returns the index of a list. p is its last page.
func (p *pageIndex) joined(pages []*pageIndex) *kind.Index {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index != nil && slices.Equal(p.pages, pages) {
		return p.index
	}
	items := p.items
	if len(pages) > 1 {
		items = nil
		for _, page := range pages {
			items = append(items, page.items...)
		}
	}
	p.pages, p.index = pages, kind.IndexOf(items)
	return p.index
}

// pageIndexOf returns the index of a page of live objects; nil for other objects.
func pageIndexOf[T any](objects []T) *pageIndex {
	if items, ok := any(objects).([]*kind.Live); ok {
		return &pageIndex{items: items}
	}
	return nil
}
