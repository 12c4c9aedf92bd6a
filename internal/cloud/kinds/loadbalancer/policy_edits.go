package loadbalancer

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// policies appends the edits that turn the L7 policies of old into those of l. old is nil for a new listener. Then all
// policies are sequels of cause, and are not reported.
//
// Attributes and a single rule are changed in place. A policy with more differences is replaced: the new policy is
// created first, and then the old one is removed. The new policy is disabled until it has all of its rules, because with
// fewer rules it would match more requests than it should.
func (e *editor) policies(l, old *Listener, cause string) {
	order := &order{}
	var had []*Policy
	if old != nil {
		had, order.ids, cause = old.Policies, slices.Clone(old.Policies), l.field+".l7Policies"
		order.resting = e.unmoved(l, old)
	}
	e.redirecting(had, cause)
	stay := map[*Policy]bool{}
	from := len(e.edits)
	for _, p := range l.Policies {
		was := e.pairs[p]
		if old == nil || was == nil || !p.changeable(was) {
			e.newPolicy(cause, l, p, order.insert(p))
			continue
		}
		stay[was] = true
		e.changePolicy(cause, p, was)
		if position := order.follow(was); position > 0 {
			e.sequel(cause, func() request { return put("l7policy", was.ID, map[string]any{"position": position}) })
		}
	}
	for _, was := range had {
		if !stay[was] {
			e.sequel(cause, func() request { return request{method: http.MethodDelete, path: "l7policies/" + was.ID} })
		}
	}
	due := slices.ContainsFunc(e.edits[from:], func(x edit) bool { return x.cause == cause })
	if old != nil && due {
		e.edits = slices.Insert(e.edits, from, edit{changes: []kind.Change{{Field: cause, Have: policyTexts(had), Want: policyTexts(l.Policies)}}})
	}
}

// pair finds, for each policy of l, the existing policy of old that is to become that policy. It first compares names.
// If a policy has no name or a changed one, it compares actions and rules, and then rules alone.
//
// A policy without a name is called by its number in the list. Numbers are compared last, because they change if other
// policies are added or removed.
func (e *editor) pair(l, old *Listener) {
	e.pairs = map[*Policy]*Policy{}
	if old == nil {
		return
	}
	taken := map[*Policy]bool{}
	match := func(is func(p, was *Policy) bool) {
		for _, p := range l.Policies {
			if was := first(old.Policies, func(was *Policy) bool { return !taken[was] && is(p, was) }); was != nil && e.pairs[p] == nil {
				e.pairs[p], taken[was] = was, true
			}
		}
	}
	named := func(p, was *Policy) bool { return p.Name == was.Name }
	match(func(p, was *Policy) bool { return named(p, was) && p.sameRules(was) })
	match(func(p, was *Policy) bool { return p.number == 0 && named(p, was) })
	match(func(p, was *Policy) bool { return p.sameEffect(was) })
	match((*Policy).sameRules)
	match(named)
	e.nameUnnamed(l)
}

// nameUnnamed chooses the names of policies that have no name in the manifest. An existing policy keeps its name, and a
// new one gets a number that is free.
func (e *editor) nameUnnamed(l *Listener) {
	taken := map[string]bool{}
	for _, p := range l.Policies {
		if was := e.pairs[p]; p.number > 0 && was != nil {
			p.setName(was.Name)
		}
		taken[p.Name] = taken[p.Name] || p.number == 0 || e.pairs[p] != nil
	}
	for _, p := range l.Policies {
		if p.number == 0 || e.pairs[p] != nil {
			continue
		}
		for n := p.number; taken[p.Name]; n++ {
			p.setName(fmt.Sprintf("%s-%d", l.Name, n))
		}
		taken[p.Name] = true
	}
}

// setName sets the name of the policy, and of the pool and monitor that are created for it.
func (p *Policy) setName(name string) {
	if p.Name = name; p.Pool != nil {
		p.Pool.setName(name)
	}
}

func (p *Pool) setName(name string) {
	if p.Name = name; p.Monitor != nil {
		p.Monitor.Name = name
	}
}

// adoptName gives the pool of a policy without a name the name of the existing pool.
func (p *Policy) adoptName(pool *Pool) {
	if p.number > 0 {
		p.Pool.setName(pool.Name)
	}
}

// sameEffect reports whether p and was match the same requests and have the same effect.
func (p *Policy) sameEffect(was *Policy) bool {
	return p.Action == was.Action && p.URL == was.URL && p.Prefix == was.Prefix && p.sameRules(was)
}

func (p *Policy) sameRules(was *Policy) bool {
	have, want := p.differentRules(was)
	return len(have)+len(want) == 0
}

// changeable reports whether the existing policy was can be changed into p in place. Between the requests, the policy
// must never match requests that neither was nor p matches.
func (p *Policy) changeable(was *Policy) bool {
	have, want := p.differentRules(was)
	return p.sameTarget(was) && len(have) == len(want) && len(have) <= 1
}

// sameTarget reports whether p redirects to the same pool as the existing policy was.
func (p *Policy) sameTarget(was *Policy) bool {
	if p.Pool == nil {
		return was.PoolID == ""
	}
	return p.Pool.ID != "" && p.Pool.ID == was.PoolID
}

// differentRules returns the rules that only was has, and the rules that only p has.
func (p *Policy) differentRules(was *Policy) (have, want []*Rule) {
	return without(was.Rules, p.Rules), without(p.Rules, was.Rules)
}

// without returns the rules that are not in others.
func without(rules, others []*Rule) []*Rule {
	rest := slices.Clone(others)
	return slices.DeleteFunc(slices.Clone(rules), func(r *Rule) bool {
		i := slices.IndexFunc(rest, func(o *Rule) bool { return o.String() == r.String() })
		if i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
		return i >= 0
	})
}

func (e *editor) changePolicy(cause string, p, was *Policy) {
	e.change("l7policy", was.ID, p.field, p, was)
	if have, want := p.differentRules(was); len(want) > 0 {
		e.sequel(cause, func() request {
			return request{http.MethodPut, "l7policies/" + was.ID + "/rules/" + have[0].ID, "rule", table.Body(want[0]), nil}
		})
	}
}

// newPolicy appends the creation of p at a position of the listener. It creates the rules with further requests, because
// Octavia accepts rules within a policy only in the request that creates a load balancer.
func (e *editor) newPolicy(cause string, l *Listener, p *Policy, position int) {
	whole := len(p.Rules) <= 1 // a policy without rules matches nothing
	e.sequel(cause, func() request {
		fresh := *p
		fresh.ListenerID, fresh.Position, fresh.Up = l.ID, position, whole
		if p.Pool != nil {
			fresh.PoolID = p.Pool.ID
		}
		return post("l7policy", &fresh, &p.ID)
	})
	for _, r := range p.Rules {
		e.sequel(cause, func() request {
			return request{http.MethodPost, "l7policies/" + p.ID + "/rules", "rule", table.Given(r), nil}
		})
	}
	if !whole {
		e.sequel(cause, func() request { return put("l7policy", p.ID, map[string]any{"admin_state_up": true}) })
	}
}

// order is the sequence of a listener's policies while edits change it.
type order struct {
	ids     []*Policy
	at      int // the index of the next policy
	resting map[*Policy]bool
}

// unmoved returns the policies of old that need not be moved. It is the largest set of policies that are in the wanted
// order already.
func (e *editor) unmoved(l, old *Listener) map[*Policy]bool {
	var list []*Policy // the policies that are changed in place, in the wanted order
	for _, p := range l.Policies {
		if was := e.pairs[p]; was != nil && p.changeable(was) {
			list = append(list, was)
		}
	}
	place := map[*Policy]int{}
	for i, was := range old.Policies {
		place[was] = i
	}
	longest, before, end := make([]int, len(list)), make([]int, len(list)), -1 // for each index, the longest ascending run that ends there
	for i := range list {
		longest[i], before[i] = 1, -1
		for j := range i {
			if place[list[j]] < place[list[i]] && longest[j] >= longest[i] {
				longest[i], before[i] = longest[j]+1, j
			}
		}
		if end < 0 || longest[i] > longest[end] {
			end = i
		}
	}
	rest := map[*Policy]bool{}
	for ; end >= 0; end = before[end] {
		rest[list[end]] = true
	}
	return rest
}

// insert adds a new policy and returns its position.
func (o *order) insert(p *Policy) int {
	o.ids = slices.Insert(o.ids, o.at, p)
	o.at++
	return o.at
}

// follow returns the position that an existing policy must be moved to, or 0 if it stays.
func (o *order) follow(was *Policy) int {
	i := slices.Index(o.ids, was)
	if o.resting[was] {
		o.at = i + 1
		return 0
	}
	if i < o.at {
		o.at-- // the policies between the two positions move up by one
	}
	o.ids = slices.Insert(slices.Delete(o.ids, i, i+1), o.at, was)
	o.at++
	return o.at
}

// policyTexts returns the policies as texts for people, in their order. It never returns nil.
func policyTexts(policies []*Policy) []string {
	out := make([]string, len(policies))
	for i, p := range policies {
		out[i] = p.String()
	}
	return out
}

// String returns the policy as a text for people.
func (p *Policy) String() string {
	text := p.Name + ": " + p.Action
	for _, target := range []string{p.URL, p.Prefix} {
		if target != "" {
			text += " " + target
		}
	}
	if p.Code != 0 {
		text += fmt.Sprintf(" (%d)", p.Code)
	}
	rules := make([]string, len(p.Rules))
	for i, r := range p.Rules {
		rules[i] = r.String()
	}
	slices.Sort(rules)
	return text + " if " + strings.Join(rules, " and ")
}

// populated returns the body of a request that creates the policy with its rules and its redirect pool.
func (p *Policy) populated(position int) map[string]any {
	placed := *p
	placed.Position = position
	body := table.Given(&placed)
	rules := make([]map[string]any, len(p.Rules))
	for i, r := range p.Rules {
		rules[i] = table.Given(r)
	}
	if body["rules"] = rules; p.Pool != nil {
		body["redirect_pool"] = p.Pool.populated()
	}
	return body
}
