package loadbalancer

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// edit is one request that changes the tree towards the wanted tree, with the changes that a plan shows for it. Diff and
// Update use the same list of edits, so every reported change is carried out, and nothing else is.
type edit struct {
	changes []kind.Change
	// cause is set for a sequel, which is an edit that follows from another edit and has no changes. The sequel is
	// carried out if the accepted changes include the field in cause.
	cause   string
	request func(accepted []kind.Change) request // nil if nothing can be done yet.
}

// accept returns the request of an edit, and whether an accepted change needs it.
func (e edit) accept(accepted []kind.Change) (request, bool) {
	mine := slices.DeleteFunc(slices.Clone(e.changes), func(c kind.Change) bool { return !kind.Has(accepted, c.Field) })
	if e.request == nil || e.cause != "" && !kind.Has(accepted, e.cause) || len(e.changes) > 0 && len(mine) == 0 {
		return request{}, false
	}
	r := e.request(mine)
	return r, r.method == http.MethodDelete || len(r.body) > 0
}

// editor collects edits.
type editor struct {
	balancer  string // the ID of the load balancer.
	standsIn  func(token string) bool
	isForeign func(list, id string) bool
	edits     []edit
	pairs     map[*Policy]*Policy // the existing policy for each wanted policy of the current listener.
	users     map[string]string   // for the ID of each pool that L7 policies redirect to: the change that causes its removal.

	successors map[string]*Pool // for the ID of each pool that is replaced: the new pool.
	unfinished bool             // whether the cloud has left an object of the stack unfinished.
	others     []string         // descriptions of the elements that are left to others.
}

// editsOf returns the edits that the existing tree needs. They are ordered so that nothing is removed before its
// replacement exists:
//
//	first           remove the objects that the cloud left unfinished
//	for each port   edit its pools (a pool is created with members and monitors before
//	                anything refers to it), then its listener, then its L7 policies
//	last            remove the listeners and pools that are not wanted
func editsOf(w typed.Want[Spec], have *State) []edit { return editorOf(w, have).listed() }

func editorOf(w typed.Want[Spec], have *State) *editor {
	b := &have.More
	e := &editor{balancer: b.ID, standsIn: w.StandsIn, isForeign: w.IgnoresElement, users: map[string]string{}, successors: map[string]*Pool{}}
	ports := wanted(w)
	left := b.foreignIn(w.IgnoresElement, ports)
	e.stuck(b, left)
	e.noteForeign(left, b)
	kept := left.poolsOfForeign(b)
	for _, l := range ports {
		old := b.listener(l.socket())
		if old != nil {
			kept[old.ID] = true
		}
		pool := b.poolFor(l, old, kept)
		if pool != nil {
			kept[pool.ID] = true
		} else if old != nil {
			e.successors[old.PoolID] = l.Pool
		}
		cause := ""
		if old == nil {
			cause = l.field
		}
		e.pool(l.Pool, pool, cause)
		e.pair(l, old)
		for _, p := range l.Policies {
			e.redirectPool(b, l, old, p, kept)
		}
		e.listener(l, old)
	}
	for _, l := range b.Listeners {
		if !kept[l.ID] && !left[l.ID] {
			e.remove(portList, l.Protocol+" "+socketText(table.Or(have.Spec.VIPAddress, ""), l.Port), nil, "listeners/"+l.ID)
		}
	}
	for _, p := range b.Pools {
		if !kept[p.ID] && !left[p.ID] {
			e.removePool(p)
		}
	}
	return e
}

// listed returns the edits. If the cloud left an object of the stack unfinished, it marks all changes as Unfinished,
// because then nobody has changed the tree.
func (e *editor) listed() []edit {
	for _, x := range e.edits {
		for i := range x.changes {
			x.changes[i].Unfinished = e.unfinished
		}
	}
	return e.edits
}

// removePool appends the removal of a pool. If a change causes it, the removal is a sequel of that change and is not
// reported, unless the pool has members that are left to others.
func (e *editor) removePool(p *Pool) {
	del := func() request { return request{method: http.MethodDelete, path: "pools/" + p.ID} }
	takes, cause := e.foreignMembers(p), e.users[p.ID]
	if cause != "" {
		e.sequel(cause, del)
	}
	if cause != "" && len(takes) == 0 {
		return
	}
	x := edit{changes: []kind.Change{{Field: cmp.Or(cause, portList), Have: "pool " + p.Name, LostElements: takes}}}
	if cause == "" {
		x.request = func([]kind.Change) request { return del() }
	}
	e.edits = append(e.edits, x)
}

// add appends an edit that is reported as one change.
func (e *editor) add(field string, have, want any, make func() request) {
	e.edits = append(e.edits, edit{changes: []kind.Change{{Field: field, Have: have, Want: want}}, request: func([]kind.Change) request { return make() }})
}

// sequel appends an edit without changes, which is carried out if the change of field cause is accepted.
func (e *editor) sequel(cause string, make func() request) {
	e.edits = append(e.edits, edit{cause: cause, request: func([]kind.Change) request { return make() }})
}

// remove appends the removal of an existing object. The argument want is its replacement, or nil if it has none.
func (e *editor) remove(field, have string, want any, path string) {
	e.add(field, have, want, func() request { return request{method: http.MethodDelete, path: path} })
}

// change appends an edit of the attributes that differ between have and want. It appends none if they are equal.
func (e *editor) change(singular, id, field string, want, have any) {
	var c kind.Changes
	if table.Differ(field, want, have, &c); len(c.List()) > 0 {
		e.edits = append(e.edits, edit{changes: c.List(), request: func(accepted []kind.Change) request {
			return put(singular, id, table.Changed(field, want, accepted))
		}})
	}
}

// listener appends the edits that turn old into l. old is nil if the listener is new. The requests read the ID of the
// listener's pool when they are built, because the pool may be created before.
func (e *editor) listener(l, old *Listener) {
	create := func() request {
		l.BalancerID, l.PoolID = e.balancer, l.Pool.ID
		return post("listener", l, &l.ID)
	}
	switch {
	case old == nil:
		e.add(l.field, nil, fmt.Sprintf("%s %d", l.Protocol, l.Port), create)
		e.policies(l, nil, l.field)
	case old.Protocol != l.Protocol:
		e.remove(l.field+".protocol", old.Protocol, l.Protocol, "listeners/"+old.ID)
		e.sequel(l.field+".protocol", create)
		e.redirecting(old.Policies, l.field+".protocol")
		e.policies(l, nil, l.field+".protocol")
	default:
		l.ID = old.ID
		l.keepSpelling(old)
		e.change("listener", old.ID, l.field, l, old)
		point := func() request { return put("listener", old.ID, map[string]any{"default_pool_id": l.Pool.ID}) }
		switch field := l.field + ".realServers"; l.Pool.ID {
		case "":
			e.sequel(field, point)
		case old.PoolID:
		default:
			e.add(field, "pool "+old.PoolID, "pool "+l.Pool.ID, point)
		}
		e.policies(l, old, "")
	}
}

// pool appends the edits that turn old into p. old is nil if the pool is new. A new pool is reported only if cause is
// "".
func (e *editor) pool(p, old *Pool, cause string) {
	if old != nil {
		p.ID = old.ID
		e.change("pool", p.ID, p.field, p, old)
		e.members(p, old)
		e.monitor(p, old.Monitor)
		return
	}
	create := func() request {
		p.BalancerID = e.balancer
		return post("pool", p, &p.ID)
	}
	if cause != "" {
		e.sequel(cause, create)
	} else {
		cause = p.field + ".realServers"
		e.add(cause, nil, "pool "+p.Name+" speaking "+p.Protocol, create)
	}
	if len(p.Members) > 0 {
		e.sequel(cause, p.putMembers)
	}
	if p.Monitor != nil {
		e.sequel(cause, p.postMonitor)
	}
}

// members appends one request that sets all members of the pool. While a wanted machine has no address yet, the existing
// members are not changed.
func (e *editor) members(p, old *Pool) {
	p.keepPauses(old)
	p.keepStandIns(old, e.standsIn)
	e.keepForeign(p, old)
	field, have, want := p.field+".realServers", texts(old.Members), texts(p.Members)
	switch {
	case p.missing != "":
		e.edits = append(e.edits, edit{changes: []kind.Change{{Field: field, Have: have, Want: "known once " + p.missing + " is ready"}}})
	case !slices.Equal(have, want):
		e.add(field, have, want, p.putMembers)
	}
}

// keepPauses leaves the weight at 0 if a member gets no connections now and its machine is not back yet.
func (p *Pool) keepPauses(old *Pool) {
	for _, m := range p.Members {
		if m.traffic == kind.TrafficPauses && slices.ContainsFunc(old.Members, func(o *Member) bool { return o.socket() == m.socket() && o.Weight == 0 }) {
			m.Weight = 0
		}
	}
}

// keepStandIns adds the members for machines that have left their groups but stand in for other machines.
func (p *Pool) keepStandIns(old *Pool, standsIn func(token string) bool) {
	for _, o := range old.Members {
		if o.SubnetID != "" && standsIn(o.token()) && !slices.ContainsFunc(p.Members, func(m *Member) bool { return m.socket() == o.socket() }) {
			p.Members = append(p.Members, o)
		}
	}
}

// monitor appends the edits for the health monitor of p. Octavia cannot change the type of a monitor, so a monitor of
// another type replaces it.
func (e *editor) monitor(p *Pool, have *HealthMonitor) {
	want, field := p.Monitor, p.field+".monitors"
	switch {
	case have == nil && want == nil:
	case want == nil:
		e.remove(field, have.Type, nil, "healthmonitors/"+have.ID)
	case have == nil:
		e.add(field, nil, want.Type, p.postMonitor)
	case have.Type != want.Type:
		e.remove(want.field+".protocol", have.Type, want.Type, "healthmonitors/"+have.ID)
		e.sequel(want.field+".protocol", p.postMonitor)
	default:
		e.change("healthmonitor", have.ID, want.field, want, have)
	}
}

// texts returns the members as texts for people, sorted by name, without duplicates. It never returns nil.
func texts(members []*Member) []string {
	type named struct{ name, text string }
	sorted := make([]named, len(members))
	for i, m := range members {
		sorted[i] = named{m.Name, m.String()}
	}
	slices.SortFunc(sorted, func(a, b named) int {
		return cmp.Or(natural.Compare(a.name, b.name), strings.Compare(a.text, b.text))
	})
	out := make([]string, len(sorted))
	for i, m := range sorted {
		out[i] = m.text
	}
	return slices.Compact(out)
}
