package neutron

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// notFilters are the query keys that are not filters (neutron/api/api_common.py).
var notFilters = []string{"fields", "limit", "marker", "page_reverse", "sort_key", "sort_dir"}

var tagFilters = []string{"tags", "tags-any", "not-tags", "not-tags-any"}

func (k *kind[T]) list(c *oslo.Call) (*oslo.Response, error) {
	if k.before != nil {
		k.before(c)
	}
	q := c.Query()
	if err := k.checkFilters(q); err != nil {
		return nil, err
	}
	page, err := k.n.pageOf(q)
	if err != nil {
		return nil, err
	}
	recs := k.store.Where(func(rec *T) bool {
		return (c.Caller.Admin() || k.shown(c.Caller, rec)) && k.fits(rec, q)
	})
	if err := k.sort(recs, q); err != nil {
		return nil, err
	}
	if recs, err = k.cut(recs, page); err != nil {
		return nil, err
	}
	views := make([]any, 0, len(recs))
	for _, rec := range recs {
		view, perr := oslo.Pick(k.view(c.Caller, rec), q["fields"])
		if perr != nil {
			return nil, perr
		}
		views = append(views, view)
	}
	body := map[string]any{k.plural(): views}
	if page.limit > 0 {
		var first, last string
		if len(recs) > 0 {
			first, last = k.standard(recs[0]).ID, k.standard(recs[len(recs)-1]).ID
		}
		if links := page.links(c, len(recs), first, last); len(links) > 0 {
			body[k.plural()+"_links"] = links
		}
	}
	return oslo.OK(body), nil
}

func (k *kind[T]) checkFilters(q url.Values) *oslo.Error {
	var unknown []string
	for key := range q {
		known := slices.Contains(notFilters, key) || slices.Contains(k.filter, key) || k.tagged && slices.Contains(tagFilters, key)
		if !known {
			unknown = append(unknown, "'"+key+"'")
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return badRequest("[%s] is invalid attribute for filtering", strings.Join(unknown, ", "))
	}
	if k.checkQuery != nil {
		if err := k.checkQuery(q); err != nil {
			return err
		}
	}
	for _, key := range []string{"admin_state_up", "shared", "router:external", "enable_dhcp", "port_security_enabled", "stateful"} {
		for _, w := range q[key] {
			if _, err := boolean(key, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits reports whether a record passes all filters; the words of one filter are alternatives.
func (k *kind[T]) fits(rec *T, q url.Values) bool {
	for key, words := range q {
		if slices.Contains(notFilters, key) {
			continue
		}
		if slices.Contains(tagFilters, key) {
			if !tagsFit(k.standard(rec).Tags, key, words) {
				return false
			}
			continue
		}
		if k.matches != nil {
			if fits, known := k.matches(rec, key, words); known {
				if !fits {
					return false
				}
				continue
			}
		}
		have, _ := k.fields.Get(rec, key)
		if have == nil || !slices.ContainsFunc(words, func(w string) bool { return oslo.Equal(have, w) }) {
			return false
		}
	}
	return true
}

func (k *kind[T]) sort(recs []*T, q url.Values) *oslo.Error {
	keys, dirs := q["sort_key"], q["sort_dir"]
	if len(keys) != len(dirs) {
		return badRequest("The number of sort_keys and sort_dirs must be same")
	}
	var order []oslo.Order
	for i, key := range keys {
		order = append(order, oslo.Order{Key: key, Desc: dirs[i] == "desc"})
		if _, ok := k.fields[key]; !ok {
			return badRequest("['%s'] is invalid attribute for sort_keys", key)
		}
		if dirs[i] != "asc" && dirs[i] != "desc" {
			return badRequest("['%s'] is invalid value for sort_dirs, valid value is 'asc' and 'desc'", dirs[i])
		}
	}
	oslo.SortBy(recs, k.fields, append(order, oslo.Order{Key: "id"})...)
	return nil
}

// page is the part of a list that a request asks for.
type page struct {
	limit   int // zero: all
	marker  string
	reverse bool
}

func (n *Neutron) pageOf(q url.Values) (page, *oslo.Error) {
	p := page{marker: q.Get("marker"), reverse: oslo.Truthy(q.Get("page_reverse")), limit: n.opts.MaxPage}
	if s := q.Get("limit"); s != "" {
		limit, err := strconv.Atoi(s)
		if err != nil || limit < 0 {
			return p, oslo.Errorf(400, "BadRequest", "Bad limit request: Limit must be an integer 0 or greater and not '%s'.", s)
		}
		if limit > 0 && (n.opts.MaxPage == 0 || limit < n.opts.MaxPage) {
			p.limit = limit
		}
	}
	if p.limit == 0 {
		p.marker, p.reverse = "", false // without a limit there are no pages
	}
	return p, nil
}

// cut returns the page after the marker, or before it in reverse order.
func (k *kind[T]) cut(recs []*T, p page) ([]*T, *oslo.Error) {
	if p.marker != "" {
		i := slices.IndexFunc(recs, func(rec *T) bool { return k.standard(rec).ID == p.marker })
		if i < 0 {
			rec, ok := k.store.Get(p.marker)
			if !ok {
				return nil, k.missing(p.marker)
			}
			// A marker that the filters exclude still has a position by its ID.
			i, _ = slices.BinarySearchFunc(recs, k.standard(rec).ID, func(a *T, id string) int { return strings.Compare(k.standard(a).ID, id) })
			i--
		}
		if p.reverse {
			recs = recs[:max(i, 0)]
		} else {
			recs = recs[i+1:]
		}
	}
	if p.limit == 0 || len(recs) <= p.limit {
		return recs, nil
	}
	if p.reverse {
		return recs[len(recs)-p.limit:], nil
	}
	return recs[:p.limit], nil
}

// links mirrors neutron/api/api_common.py: get_pagination_links. A full page has a link to a
// next page even if that is empty.
func (p page) links(c *oslo.Call, count int, first, last string) []any {
	var out []any
	link := func(rel, marker string, reverse bool) {
		out = append(out, map[string]string{"rel": rel, "href": p.href(c, marker, reverse)})
	}
	if count == p.limit || p.reverse {
		link("next", last, false)
	}
	if count == p.limit || !p.reverse {
		link("previous", first, true)
	}
	return out
}

func (p page) href(c *oslo.Call, marker string, reverse bool) string {
	var parts []string
	for part := range strings.SplitSeq(c.URL.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if part != "" && name != "marker" && name != "page_reverse" {
			parts = append(parts, part)
		}
	}
	if marker != "" {
		parts = append(parts, "marker="+marker)
	}
	if reverse {
		parts = append(parts, "page_reverse=True")
	}
	return c.Host + c.Original.Path + "?" + strings.Join(parts, "&")
}
