package cloud

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/pagination"

	"github.com/stackreeve/stackreeve/internal/private"
)

const (
	// maxPages, maxListBytes and maxObjects bound a collection. They are far more than a project has, and stop a server whose
	// pages never end.
	maxPages     = 10_000
	maxListBytes = 256 << 20
	maxObjects   = 500_000
)

// List reads a complete collection: every page, or an error. field is the name of the list in the answer, e.g. "networks". The
// service's row (services.go) says how to get the next page. Nobody may change maps, or values behind pointers: other clients
// may share them (see [Sharing]).
func List[T any](ctx context.Context, c *Client, call Call, field string) ([]T, error) {
	var all []T
	err := Each(ctx, c, call, field, func(item T) error {
		all = append(all, item)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Each calls take with each object of a collection, one after the other. It is for callers that do not need all objects in
// memory, as [List] returns them. If it returns an error, take may have seen only some of the objects. As with List, nobody may
// change them.
func Each[T any](ctx context.Context, c *Client, call Call, field string, take func(T) error) error {
	return EachRead(ctx, c, call, field, asDecoded[T](), take)
}

// Reading makes objects from their attributes. Clients that share an answer share the objects, too, so Read may depend only on
// the attributes, and nobody may change an object. As distinguishes readings of the same list that have the same types.
type Reading[Attributes, T any] struct {
	As   string
	Read func(Attributes) (T, error)
}

// asDecoded is the reading of callers that need an object as it is decoded.
func asDecoded[T any]() Reading[T, T] {
	return Reading[T, T]{Read: func(object T) (T, error) { return object, nil }}
}

// EachRead does the same as [Each] with the objects of a reading. An object of an answer that clients share is read once for all of
// them.
func EachRead[Attributes, T any](ctx context.Context, c *Client, call Call, field string, as Reading[Attributes, T], take func(T) error) error {
	if sharedLists[sharedList{call.Service, call.Path}] && (c.with == nil || c.with.keeps() == 0) {
		return eachShared(ctx, c, call, field, as.then(take))
	}
	return eachOf(ctx, c, call, field, as, take)
}

// then returns a function that reads an object and calls take with it.
func (r Reading[Attributes, T]) then(take func(T) error) func(Attributes) error {
	return func(decoded Attributes) error {
		object, err := r.Read(decoded)
		if err != nil {
			return err
		}
		return take(object)
	}
}

func eachOf[Attributes, T any](ctx context.Context, c *Client, call Call, field string, as Reading[Attributes, T], take func(T) error) error {
	_, err := pagesOf(ctx, c, call, field, as, take)
	return err
}

// pagesOf does the same as eachOf, and returns the listing. If take is nil, T is [*kind.Live], and
// the objects of each page are stored in the listing's indexes.
func pagesOf[Attributes, T any](ctx context.Context, c *Client, call Call, field string, as Reading[Attributes, T], take func(T) error) (*listing, error) {
	l, client, err := c.listing(call, field)
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(ctx, serviceName{}, call.Service)
	for address := l.first; address != ""; {
		// gophercloud's pager would decode each page into a tree, and encode it again to read objects from it. So the loop is
		// ours; requests and links are gophercloud's.
		resp, err := pagination.Request(ctx, client, maps.Clone(call.Headers), address) //nolint:bodyclose // readPage closes it
		if err != nil {
			return nil, c.failed(ctx, call, err)
		}
		p, err := readPage(l, resp, as, take)
		if err == nil {
			address, err = p.next()
		}
		if err != nil {
			return nil, l.wrong(err)
		}
	}
	return l, nil
}

// listing is a collection whose pages are being read.
type listing struct {
	service, path, field string
	resources, first     string // addresses: the prefix of all paths, and the first page
	way                  paging
	pages, objects       int
	bytes                int64           // of the pages read so far
	total                *int            // the number of objects that pages announce; nil if none does
	seen                 map[string]bool // addresses of pages
	indexes              []*pageIndex    // the live objects of each page
}

func (l *listing) wrong(err error) error {
	return fmt.Errorf("%s: GET /%s: %w", l.service, l.path, err)
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

// turn records the address of the next page.
func (l *listing) turn(address string) error {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	switch l.pages++; {
	case l.pages > maxPages:
		return fmt.Errorf("more than %d pages", maxPages)
	case l.bytes > maxListBytes:
		return fmt.Errorf("more than %d MiB", maxListBytes>>20)
	case l.seen[address]:
		return fmt.Errorf("page %d leads back to an earlier one", l.pages-1)
	}
	l.seen[address] = true
	return nil
}

// took counts one more object; ofPage is how many bytes of its page were read.
func (l *listing) took(ofPage int64) error {
	l.objects++
	switch {
	case l.bytes+ofPage > maxListBytes:
		return fmt.Errorf("more than %d MiB", maxListBytes>>20)
	case l.objects > maxObjects:
		return fmt.Errorf("more than %d objects", maxObjects)
	}
	return nil
}

// counted returns an error if two pages announce different numbers of objects. Then an object may have moved from the next
// page to one that was already read. total is -1 if the page announces no number.
func (l *listing) counted(total int) error {
	switch {
	case total < 0:
	case l.total == nil:
		l.total = &total
	case *l.total != total:
		return fmt.Errorf("the list changed while it was read, from %d to %d objects", *l.total, total)
	}
	return nil
}

// absolute returns the address of the next page from the link in an answer. Only Glance gives a path: it does not know the
// part of the catalog's address before its version.
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

// lastSegment is the last part of the path of an address that ends in a slash.
func lastSegment(address string) string {
	address = strings.TrimSuffix(address, "/")
	return address[strings.LastIndex(address, "/")+1:]
}

// withQuery is an address with additions to its query.
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
