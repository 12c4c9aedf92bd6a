package cloud

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/pagination"
)

// paging is the way to get the next page of a collection. The services announce it in different ways:
//
//	Neutron, Nova, Cinder, Octavia   "servers_links": [{"rel": "next", "href": …}]
//	Keystone, Designate              "links": {"next": …}; "truncated", "metadata": {"total_count": …}
//	Glance, Barbican                 "next": "/v2/images?…"; "total"
//	server groups, Manila            not at all: pages are requested by an offset until one is empty
//	Swift                            not at all: pages are requested by the last name until one is empty
type paging struct {
	first  func(url.Values)              // adds the query of the first request; nil if there is none.
	next   func(page) (string, error)    // reads the next page's address from a page; "" at the end.
	beyond func(page) (url.Values, bool) // for services that announce nothing: the query of the next request; false at the end.
	last   bool                          // whether beyond needs the last object of a page.
	always string                        // a member that every answer must have, or the next page is unknown.
}

const pageSize = 1000 // if we choose the size; a service may make its pages smaller

// typed finds the next page as gophercloud does for its own list of this kind. Only the next link of
// its page type is used. gophercloud's own loop would end at an answer without a list, or at a page
// without objects.
func typed[P interface {
	~struct{ pagination.LinkedPageBase }
	pagination.Page
}]() paging {
	return paging{next: func(p page) (string, error) {
		return P(struct{ pagination.LinkedPageBase }{p.rest()}).NextPageURL()
	}}
}

// always returns p with a member that every answer must have. An answer without it is an error.
func always(member string, p paging) paging {
	p.always = member
	return p
}

// longest requests the longest pages that the service allows: Designate's pages have 20 objects
// otherwise. (designate/utils.py: get_paging_params)
func longest(p paging) paging {
	p.first = func(q url.Values) { q.Set("limit", "max") }
	return p
}

// atMost requests pages of size objects, for services whose pages are short by default.
// (barbican/common/config.py: default_limit_paging, max_limit_paging)
func atMost(size int, p paging) paging {
	p.first = func(q url.Values) { q.Set("limit", strconv.Itoa(size)) }
	return p
}

var (
	// byLinks is for collections of Neutron, Nova, Cinder and Octavia for which gophercloud has no
	// page type, or one that reads a single page.
	byLinks = paging{next: func(p page) (string, error) {
		var links []gophercloud.Link
		if err := (gophercloud.Result{Body: p.members()[p.of.field+"_links"]}).ExtractInto(&links); err != nil {
			return "", err
		}
		return gophercloud.ExtractNextURL(links)
	}}
	// byNamedLinks is for the other collections of Keystone and Designate.
	byNamedLinks = always("links", paging{next: func(p page) (string, error) { return p.rest().NextPageURL() }})
	// byOffset is for collections whose pages contain no link.
	byOffset = paging{
		first: func(q url.Values) { q.Set("limit", strconv.Itoa(pageSize)); q.Set("offset", "0") },
		beyond: func(p page) (url.Values, bool) {
			return url.Values{"offset": {strconv.Itoa(p.of.objects)}}, p.objects > 0
		},
	}
)

// byMember is for services whose answers have the next address in a member.
func byMember(name string) paging {
	return paging{next: func(p page) (string, error) {
		rest := p.rest()
		rest.LinkPath = []string{name}
		return rest.NextPageURL()
	}}
}

// byMarker is for services whose next page is requested by the last object of the page before. The
// service chooses the length of its pages: Swift refuses a limit above its own, which can be any
// number. (swift/account/server.py: constrain_req_limit)
func byMarker(key string) paging {
	return paging{
		last:  true,
		first: func(q url.Values) { q.Set("format", "json") },
		beyond: func(p page) (url.Values, bool) {
			var last map[string]any
			if p.objects == 0 || json.Unmarshal(p.last, &last) != nil {
				return nil, false
			}
			return url.Values{"marker": {fmt.Sprint(last[key])}}, true
		},
	}
}
