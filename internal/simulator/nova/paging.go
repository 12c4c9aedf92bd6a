package nova

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

var digits = pattern.Of(`^[0-9]*$`)

// limit reads the page size (nova/api/openstack/common.py: get_limit_and_marker).
func (n *Nova) limit(c *call) (int, error) {
	words := c.Query()["limit"]
	if len(words) == 0 || words[0] == "" {
		return n.opts.MaxPage, nil
	}
	if !digits.MatchString(words[0]) {
		return 0, badRequest("Invalid input for query parameters limit. Value: %s. %s does not match '^[0-9]*$'", words[0], pyjson.Repr(words[0]))
	}
	limit, err := strconv.Atoi(words[0])
	if err != nil {
		return n.opts.MaxPage, nil
	}
	return min(limit, n.opts.MaxPage), nil
}

// page returns at most limit records after the marker, and whether the answer has a link to a next page
// (common.py: ViewBuilder._get_collection_links).
func page[T any](c *call, recs []T, limit int, id func(T) string) (cut []T, more bool, err error) {
	if marker := c.Query().Get("marker"); marker != "" {
		at := slices.IndexFunc(recs, func(r T) bool { return id(r) == marker })
		if at < 0 {
			return nil, false, badRequest("marker [%s] not found", marker)
		}
		recs = recs[at+1:]
	}
	return recs[:min(limit, len(recs))], limit > 0 && len(recs) >= limit, nil
}

// nextLink is the link to the page after marker.
func nextLink(c *call, path, marker string) []any {
	q := c.Query()
	q.Del("marker")
	query := url.Values{"marker": {marker}}.Encode()
	if len(q) > 0 {
		query = q.Encode() + "&" + query
	}
	return []any{map[string]string{"rel": "next", "href": c.Base + "/v2.1/" + path + "?" + query}}
}

// listOf returns the answer with one page of a list.
func listOf[T any](c *call, name, path string, recs []T, more bool, id func(T) string, view func(T) any) *oslo.Response {
	views := make([]any, 0, len(recs))
	for _, r := range recs {
		views = append(views, view(r))
	}
	body := map[string]any{name: views}
	if more {
		body[name+"_links"] = nextLink(c, path, id(recs[len(recs)-1]))
	}
	return oslo.OK(body)
}
