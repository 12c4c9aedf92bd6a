package glance

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// pageDefault is limit_param_default.
const pageDefault = 25

var sortKeys = []string{"name", "status", "container_format", "disk_format", "size", "id", "created_at", "updated_at"}

var notFilters = []string{"limit", "marker", "sort", "sort_key", "sort_dir", "member_status"}

func (g *Glance) list(c *oslo.Call) (*oslo.Response, error) {
	q := c.Query()
	limit, err := g.limit(q)
	if err != nil {
		return nil, err
	}
	less, err := order(q)
	if err != nil {
		return nil, err
	}
	if err := checkFilters(q); err != nil {
		return nil, err
	}
	recs := g.images.Where(func(i *Image) bool { return listed(c.Caller, i, q) && fits(i, q) })
	slices.SortFunc(recs, less)
	if marker := q.Get("marker"); marker != "" {
		at := slices.IndexFunc(recs, func(i *Image) bool { return i.ID == marker })
		if at < 0 {
			if _, ok := g.Visible(c.Caller, marker); !ok {
				return nil, badRequest("No image found with ID %s", marker)
			}
			at = len(recs) - 1
		}
		recs = recs[at+1:]
	}
	views := []any{}
	for _, i := range recs[:min(limit, len(recs))] {
		views = append(views, i.view())
	}
	body := map[string]any{"images": views, "schema": "/v2/schemas/images", "first": pageURL(c, "")}
	if limit > 0 && len(recs) >= limit {
		body["next"] = pageURL(c, recs[limit-1].ID)
	}
	return oslo.OK(body), nil
}

// pageURL returns the link to a page. It is a relative link, as in glance/api/v2/images.py.
func pageURL(c *oslo.Call, marker string) string {
	var parts []string
	for _, pair := range strings.Split(c.Original.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name == "" || name == "marker" {
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = url.QueryEscape(plain)
		}
		parts = append(parts, name+"="+value)
	}
	if marker != "" {
		parts = append(parts, "marker="+marker)
	}
	if len(parts) == 0 {
		return "/v2/images"
	}
	return "/v2/images?" + strings.Join(parts, "&")
}

func (g *Glance) limit(q url.Values) (int, error) {
	word := q.Get("limit")
	if word == "" {
		return min(pageDefault, g.opts.MaxPage), nil
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, badRequest("limit param must be an integer")
	}
	if n < 0 {
		return 0, badRequest("limit param must be positive")
	}
	return min(n, g.opts.MaxPage), nil
}

// order returns the comparison for sort=name:asc,… or for sort_key and sort_dir. The default is by created_at
// and ID, newest first. Images that are equal under the requested keys are in this order, too.
func order(q url.Values) (func(a, b *Image) int, error) {
	var keys, dirs []string
	if s := q.Get("sort"); s != "" {
		for _, part := range strings.Split(s, ",") {
			key, dir, found := strings.Cut(strings.TrimSpace(part), ":")
			if !found {
				dir = "desc"
			}
			keys, dirs = append(keys, strings.TrimSpace(key)), append(dirs, strings.TrimSpace(dir))
		}
	} else {
		keys, dirs = q["sort_key"], slices.Clone(q["sort_dir"])
		if len(dirs) > 1 && len(dirs) != len(keys) {
			return nil, badRequest("Number of sort dirs does not match the number of sort keys")
		}
		for len(dirs) < len(keys) {
			dirs = append(dirs, append(slices.Clone(dirs), "desc")[0])
		}
	}
	for _, dir := range append(slices.Clone(dirs), q["sort_dir"]...) {
		if dir != "asc" && dir != "desc" {
			return nil, badRequest("Invalid sort direction: %s", dir)
		}
	}
	for _, key := range keys {
		if !slices.Contains(sortKeys, key) {
			return nil, badRequest("Invalid sort key: %s. It must be one of the following: %s.", key, strings.Join(sortKeys, ", "))
		}
	}
	for _, key := range []string{"created_at", "id"} {
		if !slices.Contains(keys, key) {
			keys, dirs = append(keys, key), append(dirs, "desc")
		}
	}
	return func(a, b *Image) int {
		for i, key := range keys {
			by := a.compare(b, key)
			if dirs[i] == "desc" {
				by = -by
			}
			if by != 0 {
				return by
			}
		}
		return 0
	}, nil
}

func (i *Image) compare(j *Image, key string) int {
	switch key {
	case "name":
		return strings.Compare(text(i.Name), text(j.Name))
	case "status":
		return strings.Compare(i.Status, j.Status)
	case "container_format":
		return strings.Compare(text(i.ContainerFormat), text(j.ContainerFormat))
	case "disk_format":
		return strings.Compare(text(i.DiskFormat), text(j.DiskFormat))
	case "size":
		return i.Size() - j.Size()
	case "created_at":
		return i.Created.Compare(j.Created)
	case "updated_at":
		return i.Updated.Compare(j.Updated)
	}
	return strings.Compare(i.ID, j.ID)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
