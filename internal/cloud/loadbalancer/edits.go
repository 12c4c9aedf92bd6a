package loadbalancer

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// edit is one request that brings the tree nearer to what is wanted, and what
// people are told about it. Diff and Update both come from the same list of
// edits, so that nothing is reported that is not done, nor done unreported.
type edit struct {
	// cause is the field that must be among the changes for a sequel, an edit
	// that only follows from another and has no changes of its own.
	cause   string
	changes []kind.Change
	request func(accepted func(field string) bool) request
	// learn receives the ID of what the request makes.
	learn *string
}

// request is one call of the API, below lbaas/.
type request struct {
	method, path, singular string
	body                   any
}

// attribute is a field of Octavia's that can be changed in place.
type attribute struct {
	field, name string
	have, want  any
}

// editor collects edits.
type editor struct {
	id    string   // of the load balancer
	tags  []string // for new children
	edits []edit
}

// editsOf lists what must be done to have, in an order that takes nothing away
// before what replaces it is there:
//
//	first           what the cloud left unfinished goes
//	for each port   its pool (made with members and monitor before anything
//	                points to it), then its listener
//	after all       listeners and pools that nobody wants
//	last            the load balancer itself, with the mark
func editsOf(w kind.Want[Spec], have *State) []edit {
	e := &editor{id: have.ID, tags: childTags(w)}
	e.stuck(have)
	keepListener, keepPool := map[string]bool{}, map[string]bool{}
	wanted := listenersOf(w)
	for _, l := range wanted {
		old := have.listener(l.socket())
		if old != nil {
			keepListener[old.ID] = true
		}
		pool := have.poolFor(l, old, keepPool)
		if pool != nil {
			keepPool[pool.ID] = true
		}
		id := e.pool(l, pool, old == nil)
		e.listener(l, old, id)
	}
	for _, l := range have.Listeners {
		if !keepListener[l.ID] {
			e.remove("spec.ports", l.Protocol+" "+socketText(have.VIPAddress, l.Port), "listeners/"+l.ID)
		}
	}
	for _, p := range have.Pools {
		if !keepPool[p.ID] {
			e.remove("spec.ports", "pool "+p.Name, "pools/"+p.ID)
		}
	}
	e.balancer(w, have)
	return e.edits
}

// childTags is the owner's part of the mark: what was last applied is known of
// the load balancer alone.
func childTags(w kind.Want[Spec]) []string { return []string{w.Mark.Owner} }

func (s *State) listener(at socket) *Listener {
	for _, l := range s.Listeners {
		if l.socket() == at {
			return l
		}
	}
	return nil
}

// poolFor finds the pool that can serve l: the one that its listener has, or
// one of its name that an interrupted update has left unused.
func (s *State) poolFor(l listener, old *Listener, taken map[string]bool) *Pool {
	fits := func(p *Pool) bool { return p != nil && p.Protocol == l.pool.protocol && !taken[p.ID] }
	if old != nil {
		if p := s.pool(old.DefaultPoolID); fits(p) {
			return p
		}
	}
	for _, p := range s.Pools {
		used := slices.ContainsFunc(s.Listeners, func(l *Listener) bool { return l.DefaultPoolID == p.ID })
		if fits(p) && !used && p.Name == l.pool.name {
			return p
		}
	}
	return nil
}

// add appends an edit that makes or removes something.
func (e *editor) add(field string, have, want any, learn *string, make func() request) {
	e.edits = append(e.edits, edit{
		changes: []kind.Change{{Field: field, Have: have, Want: want}}, learn: learn,
		request: func(func(string) bool) request { return make() },
	})
}

// sequel appends an edit that follows from a change of cause.
func (e *editor) sequel(cause string, learn *string, make func() request) {
	e.edits = append(e.edits, edit{cause: cause, learn: learn, request: func(func(string) bool) request { return make() }})
}

func (e *editor) remove(field, have, path string) {
	e.add(field, have, nil, nil, func() request { return request{method: http.MethodDelete, path: path} })
}

// change appends an edit of those attributes that differ; nothing when none
// does.
func (e *editor) change(path, singular string, attributes []attribute) {
	var changes []kind.Change
	for _, a := range attributes {
		if !reflect.DeepEqual(a.have, a.want) {
			changes = append(changes, kind.Change{Field: a.field, Have: a.have, Want: a.want})
		}
	}
	if len(changes) == 0 {
		return
	}
	e.edits = append(e.edits, edit{changes: changes, request: func(accepted func(string) bool) request {
		body := map[string]any{}
		for _, a := range attributes {
			if !reflect.DeepEqual(a.have, a.want) && accepted(a.field) {
				body[a.name] = a.want
			}
		}
		return request{method: http.MethodPut, path: path, singular: singular, body: body}
	}})
}

// balancer appends the edit of the load balancer itself. Its tags carry the
// mark, so it is always last.
func (e *editor) balancer(w kind.Want[Spec], have *State) {
	spec := w.Spec
	attributes := []attribute{
		{"spec.name", "name", have.Name, rules{}.Name(w)},
		{"spec.description", "description", have.Description, cloud.Or(spec.Description, "")},
		{"spec.adminStateUp", "admin_state_up", have.AdminStateUp, cloud.Or(spec.AdminStateUp, true)},
	}
	var c kind.Changes
	for _, a := range attributes {
		kind.Field(&c, a.field, a.have, a.want)
	}
	kind.Set(&c, "spec.tags", cloud.UserTags(have.Tags), spec.Tags, kind.InPlace)
	e.edits = append(e.edits, edit{changes: c.List(), request: func(accepted func(string) bool) request {
		body := map[string]any{}
		for _, a := range attributes {
			if a.have != a.want && accepted(a.field) {
				body[a.name] = a.want
			}
		}
		user := cloud.UserTags(have.Tags)
		if accepted("spec.tags") {
			user = spec.Tags
		}
		if tags := cloud.Tags(w.Mark, user); !slices.Equal(tags, slices.Sorted(slices.Values(have.Tags))) {
			body["tags"] = tags
		}
		return request{method: http.MethodPut, path: "loadbalancers/" + e.id, singular: "loadbalancer", body: body}
	}})
}
