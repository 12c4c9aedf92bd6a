package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/pagination"

	"github.com/stackreeve/stackreeve/internal/private"
)

const (
	// maxPages, maxListBytes and maxObjects bound a collection: far more than a project
	// holds, and an end for a server whose pages have none.
	maxPages     = 10_000
	maxListBytes = 256 << 20
	maxObjects   = 500_000
)

// List reads a complete collection: every page of it, or an error. field is the
// name of the list in the answer, e.g. "networks". How a collection is read on is in
// its service's row (services.go).
func List[T any](ctx context.Context, c *Client, call Call, field string) ([]T, error) {
	l, client, err := c.listing(call, field)
	if err != nil {
		return nil, err
	}
	all := objects[T]{of: l}
	pager := pagination.NewPager(client, l.first, l.page)
	pager.Headers = call.Headers
	err = pager.EachPage(context.WithValue(ctx, serviceName{}, call.Service), func(_ context.Context, p pagination.Page) (bool, error) {
		if err := (gophercloud.Result{Body: p.(page).list()}).ExtractInto(&all); err != nil {
			return false, l.wrong(err)
		}
		return true, nil
	})
	if err != nil && !errors.As(err, new(listError)) {
		err = c.failed(ctx, call, err)
	}
	if err != nil {
		return nil, err
	}
	return all.items, nil
}

// listing is a collection while its pages are read.
type listing struct {
	service, path, field  string
	resources, first      string // addresses: what all paths are below, and the first page's
	way                   paging
	pages, bytes, objects int
	seen                  map[string]bool // addresses of pages
}

// listError is what is wrong with an answer, as opposed to a request that failed.
type listError struct{ error }

// Unwrap gives the cause.
func (e listError) Unwrap() error { return e.error }

func (l *listing) wrong(err error) error {
	return listError{fmt.Errorf("%s: GET /%s: %w", l.service, l.path, err)}
}

func (c *Client) listing(call Call, field string) (*listing, *gophercloud.ServiceClient, error) {
	row, err := serviceOfType(call.Service)
	if err != nil {
		return nil, nil, err
	}
	client, err := c.service(call.Service, call.Microversion)
	if err != nil {
		return nil, nil, err
	}
	l := &listing{service: call.Service, path: call.Path, field: field, resources: client.ResourceBaseURL(), way: row.paged(field)}
	if l.first, err = ownAddress(client, call); err != nil {
		return nil, nil, l.wrong(err)
	}
	if l.way.first != nil {
		if l.first, err = withQuery(l.first, l.way.first); err != nil {
			return nil, nil, l.wrong(err)
		}
	}
	return l, client, l.turn(l.first)
}

// page makes a page of an answer.
func (l *listing) page(r pagination.PageResult) pagination.Page {
	if text, ok := r.Body.([]byte); ok { // it does not say that it is JSON
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var body any
		if decoder.Decode(&body) == nil {
			r.Body = body
		}
	}
	return page{pagination.LinkedPageBase{PageResult: r}, l}
}

// turn takes note of the next page's address.
func (l *listing) turn(address string) error {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	switch l.pages++; {
	case l.pages > maxPages:
		return fmt.Errorf("more than %d pages", maxPages)
	case l.seen[address]:
		return fmt.Errorf("page %d leads back to an earlier one", l.pages-1)
	}
	l.seen[address] = true
	return nil
}

// took takes note of so many bytes of objects.
func (l *listing) took(bytes int) error {
	if l.bytes += bytes; l.bytes > maxListBytes {
		return fmt.Errorf("more than %d MiB", maxListBytes>>20)
	}
	return nil
}

// objects are what the pages of a list hold.
type objects[T any] struct {
	of    *listing
	items []T
}

// UnmarshalJSON adds the objects of a page, one by one, so that a bound holds.
func (o *objects[T]) UnmarshalJSON(text []byte) error {
	if err := o.of.took(len(text)); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		if o.of.objects++; o.of.objects > maxObjects {
			return fmt.Errorf("more than %d objects", maxObjects)
		}
		var item T
		if err := decoder.Decode(&item); err != nil {
			return err
		}
		o.items = append(o.items, item)
	}
	return nil
}

// absolute is the address of a next page. A path is one of Glance's API, which
// does not know what stands before its version in the catalog.
func absolute(resources, next string) (string, error) {
	if u, err := url.Parse(next); err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return next, nil
	}
	version := "/" + lastSegment(resources) + "/"
	if !strings.HasPrefix(next, version) {
		return "", fmt.Errorf("the next page %.200q is neither an address nor a path below %s", next, version)
	}
	return strings.TrimSuffix(resources, version) + next, nil
}

// lastSegment of an address that ends in a slash.
func lastSegment(address string) string {
	address = strings.TrimSuffix(address, "/")
	return address[strings.LastIndex(address, "/")+1:]
}

// withQuery is an address whose query says more.
func withQuery(address string, set func(url.Values)) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", private.Hide("the service's address cannot be read", err)
	}
	query := u.Query()
	set(query)
	u.RawQuery = query.Encode()
	return u.String(), nil
}
