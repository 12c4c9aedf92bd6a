package cloud

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/pagination"
)

// paging is how a collection is read on.
//
//	Neutron, Nova, Cinder, Octavia   "servers_links": [{"rel": "next", "href": …}]
//	Keystone, Designate              "links": {"next": …}; "truncated", "metadata": {"total_count": …}
//	Glance, Barbican                 "next": "/v2/images?…"; "total"
//	server groups, Manila            nothing: asked with an offset until a page is empty
//	Swift                            nothing: asked with the last name until a page is empty
type paging struct {
	first  func(url.Values)              // what the request for the first page has to say; nil for nothing
	next   func(page) (string, error)    // what the page says about the next one; "" at the end
	beyond func(page) (url.Values, bool) // for services that say nothing: what the next request has to say; false at the end
	last   bool                          // whether beyond needs the last object of a page
	always string                        // a member without which a page says nothing about the next one
}

const pageSize = 1000 // of what is counted by us; a service may make its pages smaller

// typed reads on as gophercloud does for its own list of this kind. Its page type is
// only asked for the next link: it would take an answer that has no list, or a page
// without objects, for the end.
func typed[P interface {
	~struct{ pagination.LinkedPageBase }
	pagination.Page
}]() paging {
	return paging{next: func(p page) (string, error) {
		return P(struct{ pagination.LinkedPageBase }{p.rest()}).NextPageURL()
	}}
}

// always is a way that relies on a member: without that an answer is not understood.
func always(member string, p paging) paging {
	p.always = member
	return p
}

// longest asks for pages as long as the service makes them: Designate's have 20 objects
// otherwise. (designate/utils.py: get_paging_params)
func longest(p paging) paging {
	p.first = func(q url.Values) { q.Set("limit", "max") }
	return p
}

// atMost asks for pages of so many objects, for services that make short ones unless asked.
// (barbican/common/config.py: default_limit_paging, max_limit_paging)
func atMost(size int, p paging) paging {
	p.first = func(q url.Values) { q.Set("limit", strconv.Itoa(size)) }
	return p
}

var (
	// byLinks is for collections of Neutron, Nova, Cinder and Octavia without a page
	// type, or with one that has a single page.
	byLinks = paging{next: func(p page) (string, error) {
		var links []gophercloud.Link
		if err := (gophercloud.Result{Body: p.members()[p.of.field+"_links"]}).ExtractInto(&links); err != nil {
			return "", err
		}
		return gophercloud.ExtractNextURL(links)
	}}
	// byNamedLinks is for the others of Keystone and Designate.
	byNamedLinks = always("links", paging{next: func(p page) (string, error) { return p.rest().NextPageURL() }})
	// byOffset is for collections that give no link.
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

// byMarker is for services that are asked for what comes after the last object. How long
// the pages are is left to them: Swift refuses a limit above its own, which can be any.
// (swift/account/server.py: constrain_req_limit)
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
