package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/pagination"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/private"
)

// page is an answer to a list. A page that cannot be understood is an error: a collection with a
// missing page must not look complete.
type page struct {
	pagination.PageResult // Body is the answer without the list
	of                    *listing
	objects               int             // the number of its objects
	last                  json.RawMessage // the last object, if the next page is requested by it
}

// next is the address of the next page, which must be on the service; "" at the end. A page without
// objects may still be followed by another one: services cut the pages first, and then leave out
// objects that the user may not see.
func (p page) next() (string, error) {
	total, err := p.total()
	if err == nil {
		err = p.of.counted(total)
	}
	if err != nil {
		return "", err
	}
	next, err := p.nextAddress()
	switch {
	case err != nil:
		return "", err
	case next != "":
		return next, p.of.turn(next)
	case total >= 0 && total != p.of.objects:
		return "", fmt.Errorf("only %d of %d were received", p.of.objects, total)
	}
	return "", nil
}

// nextAddress returns the address of the next page that this page contains.
func (p page) nextAddress() (string, error) {
	if beyond := p.of.way.beyond; beyond != nil {
		more, ok := beyond(p)
		if !ok {
			return "", nil
		}
		return withQuery(p.of.first, func(q url.Values) { maps.Copy(q, more) })
	}
	if member := p.of.way.always; member != "" {
		if _, ok := p.members()[member]; !ok {
			return "", fmt.Errorf("the answer has no %q, so the next page cannot be found", member)
		}
	}
	next, err := p.of.way.next(p)
	if err == nil {
		err = p.agrees(next)
	}
	if err != nil || next == "" {
		return "", err
	}
	next, err = absolute(p.of.resources, next)
	if err != nil {
		return "", private.Hide("its next page is not at the service's address", err)
	}
	return next, sameService(p.of.resources, next)
}

// members returns the members of the answer besides the list. rest returns the same in the form
// that gophercloud's page types need.
func (p page) members() map[string]any {
	members, _ := p.Body.(map[string]any)
	return members
}

func (p page) rest() pagination.LinkedPageBase {
	return pagination.LinkedPageBase{PageResult: p.PageResult}
}

var errNoNextPage = errors.New("the next page cannot be found")

// aboutPages matches names of members that may announce further pages.
var aboutPages = pattern.Of(`(?i)link|next|prev|pag[ei]|marker|cursor|offset|more|trunc|partial|total|count`)

// agrees returns an error if an answer announces a next page in another way than the address next,
// which was read from it.
func (p page) agrees(next string) error {
	for name, value := range p.members() {
		if name == "first" || name == "previous" || empty(value) {
			continue
		}
		links, err := []string(nil), error(nil)
		switch {
		case name == "total" || name == "metadata": // see total
		case strings.HasSuffix(name, "links"):
			links, err = nextLinks(value)
		case name == "next":
			links = []string{fmt.Sprint(value)}
		case aboutPages.MatchString(name):
			err = errNoNextPage
		}
		if err == nil && (len(links) > 1 || len(links) == 1 && (links[0] != next || next == "")) {
			err = errors.New("the link to the next page has no address, is not expected, or is there several times")
		}
		if err != nil {
			return fmt.Errorf("%.60q of %s: %w", name, p.of.field, err)
		}
	}
	return nil
}

// nextLinks returns the addresses of next pages among links.
func nextLinks(value any) (next []string, err error) {
	var list []gophercloud.Link
	if (gophercloud.Result{Body: value}).ExtractInto(&list) == nil {
		for _, l := range list {
			if strings.EqualFold(l.Rel, "next") {
				next = append(next, l.Href)
			}
		}
		return next, nil
	}
	var named map[string]*string
	if err := (gophercloud.Result{Body: value}).ExtractInto(&named); err != nil {
		return nil, err
	}
	if link := named["next"]; link != nil {
		next = append(next, *link)
	}
	return next, nil
}

// total is the number of objects in the collection; -1 if the page does not give it.
func (p page) total() (int, error) {
	var said struct {
		Total     *int `json:"total"`
		Truncated any  `json:"truncated"`
		Metadata  map[string]*int
	}
	if err := p.ExtractInto(&said); err != nil {
		return -1, err
	}
	count, known := said.Metadata["total_count"]
	switch {
	case !empty(said.Truncated):
		return -1, errors.New("the service returned only a part of the list; its list_limit has to be larger")
	case len(said.Metadata) > 0 && (!known || count == nil || len(said.Metadata) > 1):
		return -1, fmt.Errorf("%q of %s: %w", "metadata", p.of.field, errNoNextPage)
	case known:
		return *count, nil
	case said.Total != nil:
		return *said.Total, nil
	}
	return -1, nil
}

// empty reports whether a value has no content.
func empty(value any) bool {
	switch value := value.(type) {
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	switch fmt.Sprint(value) {
	case "<nil>", "", "false", "0":
		return true
	}
	return false
}
