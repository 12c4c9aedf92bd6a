package octavia

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// resource contains the common parts of all collections of the API.
type resource[T any] struct {
	singular, plural string
	what             string // the name of a record in messages, such as "Load Balancer"
	base             func(*T) *Base
	all              func(*oslo.Call) ([]*T, error)
	fields           oslo.Fields
	// parent returns the ID of the record's parent for a filter by parent, such as loadbalancer_id. known is false if name is no such
	// filter.
	parent func(rec *T, name string) (id string, known bool)
}

func noParent[T any](*T, string) (string, bool) { return "", false }

// everything collects the objects of one type from all trees.
func everything[T any](o *Octavia, of func(*LoadBalancer) []*T) func(*oslo.Call) ([]*T, error) {
	return func(*oslo.Call) ([]*T, error) {
		var out []*T
		for lb := range o.lbs.All() {
			out = append(out, of(lb)...)
		}
		return out, nil
	}
}

func (o *Octavia) addResources() {
	inBalancer := func(lb *LoadBalancer, name string) (string, bool) {
		return lb.ID, name == "load_balancer_id" || name == "loadbalancer_id"
	}
	o.balancer = &resource[LoadBalancer]{"loadbalancer", "loadbalancers", "Load Balancer", func(r *LoadBalancer) *Base { return &r.Base },
		everything(o, func(lb *LoadBalancer) []*LoadBalancer { return []*LoadBalancer{lb} }), oslo.FieldsOf[LoadBalancer](), noParent[LoadBalancer]}
	o.listener = &resource[Listener]{"listener", "listeners", "Listener", func(r *Listener) *Base { return &r.Base },
		everything(o, func(lb *LoadBalancer) []*Listener { return lb.listeners }), oslo.FieldsOf[Listener](),
		func(r *Listener, name string) (string, bool) { return inBalancer(r.lb, name) }}
	o.pool = &resource[Pool]{"pool", "pools", "Pool", func(r *Pool) *Base { return &r.Base },
		everything(o, func(lb *LoadBalancer) []*Pool { return lb.pools }), oslo.FieldsOf[Pool](),
		func(r *Pool, name string) (string, bool) { return inBalancer(r.lb, name) }}
	o.member = &resource[Member]{"member", "members", "Member", func(r *Member) *Base { return &r.Base },
		o.membersOf, oslo.FieldsOf[Member](), noParent[Member]}
	o.monitor = &resource[HealthMonitor]{"healthmonitor", "healthmonitors", "Health Monitor", func(r *HealthMonitor) *Base { return &r.Base },
		everything(o, func(lb *LoadBalancer) (out []*HealthMonitor) {
			for _, p := range lb.pools {
				if p.monitor != nil {
					out = append(out, p.monitor)
				}
			}
			return out
		}), oslo.FieldsOf[HealthMonitor](),
		func(r *HealthMonitor, name string) (string, bool) { return r.pool.ID, name == "pool_id" }}
	o.policy = &resource[L7Policy]{"l7policy", "l7policies", "L7Policy", func(r *L7Policy) *Base { return &r.Base },
		everything(o, func(lb *LoadBalancer) (out []*L7Policy) {
			for _, l := range lb.listeners {
				out = append(out, l.policies...)
			}
			return out
		}), oslo.FieldsOf[L7Policy](), noParent[L7Policy]}
	o.rule = &resource[L7Rule]{"rule", "rules", "L7Rule", func(r *L7Rule) *Base { return &r.Base }, o.rulesOf, oslo.FieldsOf[L7Rule](), noParent[L7Rule]}
	serve(o, o.policy, "l7policies")
	serve(o, o.rule, "l7policies/{policy}/rules")
	serve(o, o.balancer, "loadbalancers")
	serve(o, o.listener, "listeners")
	serve(o, o.pool, "pools")
	serve(o, o.member, "pools/{pool}/members")
	serve(o, o.monitor, "healthmonitors")
}

// serve adds the routes for GET.
func serve[T any](o *Octavia, r *resource[T], path string) {
	o.handle("GET", path, func(c *oslo.Call) (*oslo.Response, error) { return r.list(c, o.opts.MaxPage) })
	o.handle("GET", path+"/{id}", func(c *oslo.Call) (*oslo.Response, error) {
		rec, err := r.find(c, c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		view, perr := oslo.Pick(rec, c.Query()["fields"])
		if perr != nil {
			return nil, perr
		}
		return oslo.OK(map[string]any{r.singular: view}), nil
	})
}

// find returns a record if the caller may see it.
func (r *resource[T]) find(c *oslo.Call, id string) (*T, error) {
	all, err := r.all(c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(rec *T) bool { return r.base(rec).ID == id })
	if i < 0 {
		return nil, notFound(r.what, id)
	}
	if !c.Caller.Admin() && r.base(all[i]).ProjectID != c.Caller.ProjectID {
		return nil, forbidden()
	}
	return all[i], nil
}

func (r *resource[T]) list(c *oslo.Call, maxPage int) (*oslo.Response, error) {
	q := c.Query()
	all, err := r.all(c)
	if err != nil {
		return nil, err
	}
	var recs []*T
	for _, rec := range all {
		if !c.Caller.Admin() && r.base(rec).ProjectID != c.Caller.ProjectID {
			continue
		}
		recs = append(recs, rec)
	}
	if recs, err = r.filter(recs, q); err != nil {
		return nil, err
	}
	if err := r.sort(recs, q); err != nil {
		return nil, err
	}
	recs, links, err := r.page(c, recs, q, maxPage)
	if err != nil {
		return nil, err
	}
	views := make([]any, 0, len(recs))
	for _, rec := range recs {
		view, err := oslo.Pick(rec, q["fields"])
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return oslo.OK(map[string]any{r.plural: views, r.plural + "_links": links}), nil
}

var notFilters = []string{"fields", "limit", "marker", "sort_key", "sort_dir", "sort", "page_reverse"}

func (r *resource[T]) filter(recs []*T, q url.Values) ([]*T, error) {
	for name, words := range q {
		if slices.Contains(notFilters, name) {
			continue
		}
		if _, known := r.fields[name]; !known && !slices.Contains([]string{"tags-any", "not-tags", "not-tags-any"}, name) {
			var zero T
			if _, known := r.known(&zero, name); !known {
				return nil, badRequest("One or more arguments are either duplicate or invalid")
			}
		}
		recs = slices.DeleteFunc(recs, func(rec *T) bool { return !r.fits(rec, name, words) })
	}
	return recs, nil
}

// known reports whether a name is a filter by a parent object.
func (r *resource[T]) known(_ *T, name string) (string, bool) {
	switch r.singular {
	case "listener", "pool":
		return "", name == "load_balancer_id" || name == "loadbalancer_id"
	case "healthmonitor":
		return "", name == "pool_id"
	}
	return "", false
}

func (r *resource[T]) fits(rec *T, name string, words []string) bool {
	tags := r.base(rec).Tags
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	hasNot := func(tag string) bool { return !has(tag) }
	switch name {
	case "tags":
		return !slices.ContainsFunc(words, hasNot)
	case "tags-any":
		return slices.ContainsFunc(words, has)
	case "not-tags":
		return slices.ContainsFunc(words, hasNot)
	case "not-tags-any":
		return !slices.ContainsFunc(words, has)
	}
	if id, known := r.parent(rec, name); known {
		return slices.Contains(words, id)
	}
	have, _ := r.fields.Get(rec, name)
	return slices.ContainsFunc(words, func(w string) bool { return oslo.Equal(have, w) })
}

func (r *resource[T]) sort(recs []*T, q url.Values) error {
	key, reverse := q.Get("sort_key"), q.Get("sort_dir") == "desc"
	if _, ok := r.fields[key]; key != "" && !ok {
		return badRequest("Supplied sort key '%s' is not valid.", key)
	}
	order := []oslo.Order{{Key: "created_at", Desc: reverse}, {Key: "id", Desc: reverse}}
	if key == "" {
		order[0].Desc, order[1].Desc = false, false
	} else {
		order = append([]oslo.Order{{Key: key, Desc: reverse}}, order...)
	}
	oslo.SortBy(recs, r.fields, order...)
	return nil
}

// page cuts the list to one page and links to the next one.
func (r *resource[T]) page(c *oslo.Call, recs []*T, q url.Values, maxPage int) ([]*T, []any, error) {
	links := []any{}
	if marker := q.Get("marker"); marker != "" {
		var found bool
		if recs, found = oslo.After(recs, func(rec *T) string { return r.base(rec).ID }, marker); !found {
			return nil, nil, badRequest("Supplied pagination marker '%s' is not valid.", marker)
		}
	}
	limit := maxPage
	if asked := q.Get("limit"); asked != "" {
		n, err := strconv.Atoi(asked)
		switch {
		case err != nil:
			return nil, nil, badRequest("Supplied pagination limit '%s' is not valid.", asked)
		case n < 0:
			return nil, nil, oslo.Errorf(500, "TypeError", "'>=' not supported between instances of 'int' and 'NoneType'")
		case limit == 0 || n < limit:
			limit = n
		}
	}
	if limit == 0 || len(recs) <= limit {
		return recs, links, nil
	}
	recs = recs[:limit]
	q.Set("limit", itoa(limit))
	q.Set("marker", r.base(recs[limit-1]).ID)
	return recs, append(links, map[string]string{"rel": "next", "href": c.Base + c.URL.Path + "?" + q.Encode()}), nil
}
