package designate

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func (d *Designate) style() *oslo.Style {
	return &oslo.Style{Refuse: refuse, Body: body, Sees: sees, Page: d.page, List: list,
		NoMarker: func(string) *oslo.Error { return refused(400, "marker_not_found", "Marker None could not be found") }}
}

// answer shows a record, with status 202 while it is PENDING.
func answer(c *oslo.Call, b *Base, rec any, path string) *oslo.Response {
	r := &oslo.Response{Status: 200, Body: view(c, b, rec, path)}
	switch {
	case c.Method != "GET" && b.Status == "PENDING", c.Method == "DELETE":
		r.Status = 202
	case c.Method == "POST":
		r.Status = 201
	}
	return r
}

func view(c *oslo.Call, b *Base, rec any, path string) any {
	b.Links = map[string]string{"self": c.Base + path}
	return rec
}

// sees returns the projects whose records a request may see: its own project,
// or all projects if the request asks for them. Only an admin may do that.
func sees(c *oslo.Call) (func(string) bool, *oslo.Error) {
	word := c.Header.Get("X-Auth-All-Projects")
	for _, key := range allProjects {
		if c.Query().Has(key) {
			word = c.Query().Get(key)
		}
	}
	all := oslo.Truthy(word)
	if all && !c.Caller.Admin() {
		return nil, refused(403, "forbidden", "")
	}
	return func(owner string) bool { return all || owner == c.Caller.ProjectID }, nil
}

var (
	allProjects = []string{"all_projects", "all_tenants"}
	notFilters  = append([]string{"marker", "limit", "sort_key", "sort_dir"}, allProjects...)
	uuidForm    = pattern.Of(`^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$`)
)

// page mirrors designate/utils.py: get_paging_params.
func (d *Designate) page(t oslo.Table, q url.Values) (oslo.Page, *oslo.Error) {
	key, dir, asked := q.Get("sort_key"), q.Get("sort_dir"), strings.ToLower(q.Get("limit"))
	p := oslo.Page{Limit: 20, Marker: q.Get("marker")}
	if asked == "max" {
		p.Limit = 1000
	} else if asked != "" {
		if p.Limit, _ = strconv.Atoi(asked); p.Limit <= 0 {
			return p, refused(400, "invalid_limit", "limit should be an integer between 1 and 1000")
		}
	}
	if d.opts.MaxPage > 0 {
		p.Limit = min(p.Limit, d.opts.MaxPage)
	}
	if keys := t.Names(func(a oslo.Attribute) bool { return a.Sort }); key == "" || key == "tenant_id" {
		key = "created_at"
	} else if !slices.Contains(keys, key) {
		return p, refused(400, "invalid_sort_key", "sort key must be one of ['%s']", strings.Join(keys, "', '"))
	}
	switch {
	case dir != "" && dir != "asc" && dir != "desc":
		return p, refused(400, "invalid_sort_dir", "Unknown sort direction, must be 'desc' or 'asc'")
	case p.Marker != "" && !uuidForm.MatchString(p.Marker):
		return p, refused(400, "invalid_marker", "")
	}
	p.Order = []oslo.Order{{Key: key, Desc: dir == "desc"}, {Key: "id", Desc: dir == "desc"}}
	return p, filter(&p, t, q)
}

// filter reads the filters. They compare as MySQL does, ignoring case. In a
// filter with a star, "_" also stands for any character.
func filter(p *oslo.Page, t oslo.Table, q url.Values) *oslo.Error {
	p.Filters = map[string]func(string) bool{}
	var unknown []string
	for name := range q {
		row := strings.Replace(name, "data", "records", 1)
		known := slices.ContainsFunc(t, func(a oslo.Attribute) bool { return a.Name == row && a.Filter && name != "records" })
		if !known && !slices.Contains(notFilters, name) {
			unknown = append(unknown, name)
		}
		if known {
			form := regexp.QuoteMeta(strings.ReplaceAll(q.Get(name), "*", "%"))
			if strings.Contains(form, "%") {
				form = strings.NewReplacer("%", ".*", "_", ".").Replace(form)
			}
			p.Filters[row] = regexp.MustCompile(`(?is)^` + form + `$`).MatchString
		}
	}
	if slices.Sort(unknown); len(unknown) > 0 {
		return badRequest("Invalid filters %s", strings.Join(unknown, ", "))
	}
	return nil
}

// list returns the body of a list. It contains a link to the next page after every full page, even if the next
// page is empty.
func list(c *oslo.Call, resource string, p oslo.Page, views []any, last string, total int) any {
	q := c.Query()
	at := c.Base + c.URL.Path + "?"
	links, meta := map[string]string{"self": strings.TrimSuffix(at+q.Encode(), "?")}, map[string]any{"total_count": total}
	if len(views) == p.Limit {
		q.Set("marker", last)
		links["next"] = at + q.Encode()
	}
	if oslo.Truthy(c.Header.Get("OpenStack-DNS-Hide-Counts")) {
		clear(meta)
	}
	return map[string]any{resource + "s": views, "links": links, "metadata": meta}
}
