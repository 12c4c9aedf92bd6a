package cinder

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// listing is one request for a page of a collection.
type listing struct {
	limit, offset int
	total         int
	more          bool
}

func (b *Cinder) listing(c *call) (*listing, error) {
	q, l := c.Query(), &listing{limit: b.opts.MaxPage}
	for key, to := range map[string]*int{"limit": &l.limit, "offset": &l.offset} {
		w := q.Get(key)
		if w == "" {
			continue
		}
		n, err := strconv.Atoi(w)
		switch {
		case err != nil:
			return nil, badRequest("%s param must be an integer", key)
		case n < 0:
			return nil, badRequest("%s param must be positive", key)
		}
		*to = n
	}
	l.limit = min(l.limit, b.opts.MaxPage)
	return l, nil
}

// cut returns the requested page of the records, which must be sorted (cinder/db/sqlalchemy/api.py:
// process_sort_params).
func cut[T any](c *call, l *listing, recs []T, id func(T) string, missing func(string) error) ([]T, error) {
	l.total = len(recs)
	if marker := c.Query().Get("marker"); marker != "" {
		at := slices.IndexFunc(recs, func(r T) bool { return id(r) == marker })
		if at < 0 {
			return nil, missing(marker)
		}
		recs = recs[at+1:]
	}
	recs = recs[min(l.offset, len(recs)):]
	page := recs[:min(l.limit, len(recs))]
	l.more = l.limit > 0 && len(page) == l.limit
	return page, nil
}

func (l *listing) answer(c *call, name, path string, views []any, last string) *oslo.Response {
	body := map[string]any{name: views}
	if l.more && c.Query().Has("limit") || l.more && len(views) < l.total {
		q := c.Query()
		q.Del("marker")
		query := url.Values{"marker": {last}}.Encode()
		if len(q) > 0 {
			query = q.Encode() + "&" + query
		}
		body[name+"_links"] = []any{map[string]string{"rel": "next", "href": c.Base + "/v3/" + c.PathValue("project") + "/" + path + "?" + query}}
	}
	if c.minor >= 45 && oslo.Truthy(c.Query().Get("with_count")) {
		body["count"] = l.total
	}
	return oslo.OK(body)
}

func (b *Cinder) list(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		l, err := b.listing(c)
		if err != nil {
			return nil, err
		}
		q := c.Query()
		times, err := timeFilters(c, q)
		if err != nil {
			return nil, err
		}
		all := c.Caller.Admin() && oslo.Truthy(q.Get("all_tenants"))
		recs := b.volumes.Where(func(v *Volume) bool {
			return (all || v.Project == c.Caller.ProjectID) && b.fits(c, v, q, all) && !slices.ContainsFunc(times, func(fits func(*Volume) bool) bool { return !fits(v) })
		})
		if err := sortVolumes(recs, q); err != nil {
			return nil, err
		}
		recs, err = cut(c, l, recs, func(v *Volume) string { return v.ID }, func(id string) error { return notFound("Volume %s could not be found.", id) })
		if err != nil {
			return nil, err
		}
		views, path, last := []any{}, "volumes", ""
		if detail {
			path = "volumes/detail"
		}
		for _, v := range recs {
			last = v.ID
			if detail {
				views = append(views, b.view(c, v, false, true))
			} else {
				views = append(views, b.brief(c, v))
			}
		}
		return l.answer(c, "volumes", path, views, last), nil
	}
}

// fits applies the filters that members may use (etc/cinder/resource_filters.json); others are ignored.
func (b *Cinder) fits(c *call, v *Volume, q url.Values, all bool) bool {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for key, words := range q {
		w, have := words[0], ""
		switch key {
		case "name", "display_name":
			have = text(v.Name)
		case "name~":
			if c.minor >= 34 && !strings.Contains(text(v.Name), w) {
				return false
			}
			continue
		case "status":
			have = v.Status
		case "availability_zone":
			have = v.Zone
		case "bootable":
			have, w = strconv.FormatBool(v.Bootable), strconv.FormatBool(oslo.Truthy(w))
		case "id":
			have = v.ID
		case "size":
			have = strconv.Itoa(v.Size)
		case "volume_type", "volume_type_id":
			have = v.Type.Name
			if w == v.Type.ID {
				have = w
			}
		case "project_id":
			if !all {
				continue
			}
			have = v.Project
		case "metadata":
			if !metadataFits(v.Metadata, w) {
				return false
			}
			continue
		default:
			continue
		}
		if have != w {
			return false
		}
	}
	return true
}

// timeFilters reads the filters created_at and updated_at, which exist since 3.60. Each is a list of an operator and a time
// (cinder/api/v3/volumes.py: _handle_time_comparison_filters). A volume without a time does not fit.
func timeFilters(c *call, q url.Values) (list []func(*Volume) bool, err error) {
	for key, of := range map[string]func(*Volume) time.Time{"created_at": func(v *Volume) time.Time { return v.Created }, "updated_at": func(v *Volume) time.Time { return v.Updated }} {
		if c.minor < 60 || !q.Has(key) {
			continue
		}
		for _, part := range strings.Split(q.Get(key), ",") {
			operator, text, found := strings.Cut(part, ":")
			if !found {
				return nil, badRequest("Invalid %s value", key)
			}
			holds := map[string]func(order int) bool{"gt": func(o int) bool { return o > 0 }, "gte": func(o int) bool { return o >= 0 }, "eq": func(o int) bool { return o == 0 },
				"neq": func(o int) bool { return o != 0 }, "lt": func(o int) bool { return o < 0 }, "lte": func(o int) bool { return o <= 0 }}[operator]
			at, err := oslo.ParseISO(text)
			switch {
			case holds == nil:
				return nil, badRequest("Invalid %s operator", operator)
			case err != nil:
				return nil, badRequest("Invalid %s value", text)
			}
			list = append(list, func(v *Volume) bool { t := of(v); return !t.IsZero() && holds(t.Truncate(time.Second).Compare(at)) })
		}
	}
	return list, nil
}

// metadataFits reports whether metadata contains all entries of a filter. The filter is a Python dict, as
// clients send it.
func metadataFits(have map[string]string, word string) bool {
	want := map[string]string{}
	if json.Unmarshal([]byte(word), &want) != nil && json.Unmarshal([]byte(strings.ReplaceAll(word, "'", `"`)), &want) != nil {
		return false
	}
	for key, value := range want {
		if v, ok := have[key]; !ok || v != value {
			return false
		}
	}
	return true
}

// sortVolumes sorts by the parameter sort=name:asc,… or by sort_key and sort_dir. The default is newest first.
func sortVolumes(recs []*Volume, q url.Values) error {
	var keys, dirs []string
	for _, part := range strings.Split(q.Get("sort"), ",") {
		if key, dir, _ := strings.Cut(strings.TrimSpace(part), ":"); key != "" {
			keys, dirs = append(keys, key), append(dirs, cmp.Or(dir, "desc"))
		}
	}
	for i, key := range q["sort_key"] {
		dir := "desc"
		if i < len(q["sort_dir"]) {
			dir = q["sort_dir"][i]
		}
		keys, dirs = append(keys, key), append(dirs, dir)
	}
	for i, key := range keys {
		if _, ok := sortable[key]; !ok {
			return badRequest("Invalid input received: Invalid sort key")
		}
		if dirs[i] != "asc" && dirs[i] != "desc" {
			return badRequest("Invalid input received: Unknown sort direction, must be 'desc' or 'asc'.")
		}
	}
	order := map[string]int{}
	for i, v := range recs {
		order[v.ID] = i
	}
	slices.SortStableFunc(recs, func(a, b *Volume) int {
		for i, key := range keys {
			by := sortable[key](a, b)
			if dirs[i] == "desc" {
				by = -by
			}
			if by != 0 {
				return by
			}
		}
		return cmp.Or(b.Created.Compare(a.Created), order[b.ID]-order[a.ID])
	})
	return nil
}

var sortable = map[string]func(a, b *Volume) int{
	"created_at": func(a, b *Volume) int { return a.Created.Compare(b.Created) },
	"updated_at": func(a, b *Volume) int { return a.Updated.Compare(b.Updated) },
	"id":         func(a, b *Volume) int { return strings.Compare(a.ID, b.ID) },
	"name":       func(a, b *Volume) int { return strings.Compare(pyjson.Repr(deref(a.Name)), pyjson.Repr(deref(b.Name))) },
	"size":       func(a, b *Volume) int { return a.Size - b.Size },
	"status":     func(a, b *Volume) int { return strings.Compare(a.Status, b.Status) },
	"bootable": func(a, b *Volume) int {
		return strings.Compare(strconv.FormatBool(a.Bootable), strconv.FormatBool(b.Bootable))
	},
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (b *Cinder) summary(c *call) (*oslo.Response, error) {
	count, size := 0, 0
	for v := range b.volumes.All() {
		if v.Project == c.Caller.ProjectID {
			count, size = count+1, size+v.Size
		}
	}
	return oslo.OK(map[string]any{"volume-summary": map[string]any{"total_count": count, "total_size": size, "metadata": map[string]any{}}}), nil
}
