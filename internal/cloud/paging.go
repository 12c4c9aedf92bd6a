package cloud

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

const (
	// maxPages and maxListBytes bound a collection: far more than a project holds,
	// and an end for a server whose pages have none.
	maxPages     = 10_000
	maxListBytes = 256 << 20
)

// reading is what is known of a collection while its pages are read.
type reading struct {
	pages, bytes int
	seen         map[string]bool // addresses of pages
}

// turn takes note of the next page's address.
func (r *reading) turn(address string) error {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	switch r.pages++; {
	case r.pages > maxPages:
		return fmt.Errorf("more than %d pages", maxPages)
	case r.seen[address]:
		return fmt.Errorf("page %d leads back to an earlier one", r.pages-1)
	}
	r.seen[address] = true
	return nil
}

func (r *reading) add(page map[string]json.RawMessage) error {
	for _, raw := range page {
		r.bytes += len(raw)
	}
	if r.bytes > maxListBytes {
		return fmt.Errorf("more than %d MiB", maxListBytes>>20)
	}
	return nil
}

// link is an entry of the links that Neutron, Nova, Cinder and Octavia give.
type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// paged is what a page says about the rest of its collection.
type paged struct {
	next  string
	total int // of the collection; -1 when the page does not say
}

// follow finds out how a list goes on. What it does not understand is an error:
// a collection of which a page is missing must not look like a whole one.
//
//	Neutron, Nova, Cinder, Octavia   "servers_links": [{"rel": "next", "href": …}]
//	Keystone, Designate              "links": {"next": …}; "truncated", "metadata": {"total_count": …}
//	Glance                           "next": "/v2/images?…"
func follow(page map[string]json.RawMessage, field string) (paged, error) {
	p := paged{total: -1}
	for name, raw := range page {
		if name == field || name == "first" || name == "previous" || empty(raw) {
			continue
		}
		next, err := "", error(nil)
		switch {
		case name == field+"_links" || name == "links":
			next, err = nextOf(raw)
		case name == "next":
			err = json.Unmarshal(raw, &next)
		case name == "metadata":
			p.total, err = totalOf(raw)
		case name == "truncated":
			err = fmt.Errorf("the service has cut the list short; its list_limit has to be larger")
		case aboutPages.MatchString(name):
			err = fmt.Errorf("it is not known how to read on")
		}
		if err == nil && next != "" && p.next != "" && next != p.next {
			err = fmt.Errorf("there are two next pages")
		}
		if err != nil {
			return p, fmt.Errorf("%.60q of %s: %w", name, field, err)
		}
		if next != "" {
			p.next = next
		}
	}
	return p, nil
}

// aboutPages matches members of an answer that may be about its other pages.
var aboutPages = regexp.MustCompile(`(?i)link|next|prev|pag[ei]|marker|cursor|offset|more|trunc|partial|total|count`)

// empty values say nothing.
func empty(raw json.RawMessage) bool {
	switch string(raw) {
	case "null", `""`, "[]", "{}", "false", "0":
		return true
	}
	return false
}

func nextOf(raw json.RawMessage) (string, error) {
	var list []link
	if json.Unmarshal(raw, &list) != nil {
		var named map[string]*string
		if err := json.Unmarshal(raw, &named); err != nil {
			return "", err
		}
		if next := named["next"]; next != nil {
			return *next, nil
		}
		return "", nil
	}
	next := ""
	for _, l := range list {
		switch {
		case !strings.EqualFold(l.Rel, "next"):
		case l.Href == "" || next != "":
			return "", fmt.Errorf("a next page without address, or several")
		default:
			next = l.Href
		}
	}
	return next, nil
}

func totalOf(raw json.RawMessage) (int, error) {
	var m struct {
		Total *int `json:"total_count"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return -1, err
	}
	if m.Total == nil {
		return -1, fmt.Errorf("it is not known how to read on")
	}
	return *m.Total, nil
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
