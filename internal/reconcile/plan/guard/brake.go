package guard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Brake holds a plan that destroys more than the limits allow, destroys all objects of the stack, or loses data. It does not hold a plan of
// which all steps were approved. Surplus copies left by interrupted requests do not count, because the object itself stays. If every change
// of the stack needs an approval (see [Manual]), it holds every plan that writes. A suspended stack is never held.
//
// A step that continues an approved rollout is not counted again.
//
// A pass destroys nothing that was not in its first plan, so the limits apply to the whole pass.
func Brake(limits Limits, approved []plan.Approval) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		reasons := countDestroyed(p).over(limits)
		reasons = reasons.And(lossCause(p, limits.DataLoss))
		if i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Proposed && s.Action.Writes() && !s.Continues }); i >= 0 {
			reasons = reasons.And(cause.Of(cause.Proposed, p.Steps[i].Key))
		}
		if p.Manual != "" && slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Action.Writes() && !s.Continues }) {
			reasons = reasons.And(cause.Of(cause.EveryChange, p.Manual))
		}
		reasons = reasons.And(p.Elsewhere)
		unsettled := p.Manual != "" && slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Action == plan.Wait }) // a waiting step may write later
		if len(reasons) == 0 && !unsettled || p.Suspended != "" {
			return p
		}
		if i := slices.IndexFunc(approved, func(a plan.Approval) bool { return a.Covers(p) }); i >= 0 {
			p.Approved = &approved[i]
			return p
		}
		if len(reasons) == 0 {
			return p
		}
		p.Held = reasons
		switch {
		case len(approved) > 0:
			p.Held = p.Held.And(p.Unapproved(approved))
		case p.Forgetful:
			p.Held = p.Held.And(cause.Of(cause.Forgotten))
		}
		return p
	}
}

// Forgetful is the policy of an agent that does not store approvals. The plan may have been approved before a restart, and must be approved
// again, because the digests in marks do not show whether a change was approved.
func Forgetful(p plan.Plan) plan.Plan {
	p.Forgetful = true
	return p
}

// OnlyWithHash holds every plan that writes, except the plan with the hash. So exactly the plan that a person has read is carried out. If hash is
// "", it holds no plan.
func OnlyWithHash(hash string) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if hash == "" || p.Stopped() || p.Summary().Writes() == 0 || p.Hash() == hash {
			return p
		}
		p.Held = cause.List{cause.Of(cause.OtherHash, hash)}
		return p
	}
}

// destroyedCount counts the objects that a plan destroys: of all kinds together and of each kind. In each group, it counts members instead.
type destroyedCount struct {
	all    count
	kinds  map[string]*count
	groups map[manifest.Key]*members
}

// members has the members that a group has in the cloud, and the members that a plan harms.
type members struct{ all, harmed map[manifest.Key]bool }

type count struct {
	owned, harmed int
	verbs         [len(verbs)]bool
}

var verbs = [...]cause.Code{cause.Deletes, cause.Replaces, cause.Wipes, cause.CutsOff}

func countDestroyed(p plan.Plan) destroyedCount {
	t := destroyedCount{all: count{owned: p.Owned}, kinds: map[string]*count{}, groups: map[manifest.Key]*members{}}
	spared := replacedInTurn(p)
	for _, s := range p.Steps {
		_, harms := s.Harm()
		harms = harms && !s.Continues && (s.Part == nil || !spared[s.Part.Member])
		t.inGroup(s, harms)
		if !harms {
			continue
		}
		kind := t.kinds[s.Key.Kind]
		if kind == nil {
			kind = &count{owned: p.OwnedKinds[s.Key.Kind]}
			t.kinds[s.Key.Kind] = kind
		}
		t.all.add(s)
		kind.add(s)
	}
	return t
}

// replacedInTurn returns the replaced members that do not count. If a group says how its members are replaced, only as many members count as
// may be away at the same time. The members that lose the most are the ones that count.
func replacedInTurn(p plan.Plan) map[manifest.Key]bool {
	harmed, groups := map[manifest.Key]int{}, map[manifest.Key]int{}
	at := map[manifest.Key][]manifest.Key{}
	for _, s := range p.Steps {
		if _, harms := s.Harm(); !harms || s.Part == nil || s.Part.AtOnce == 0 {
			continue
		}
		if harmed[s.Part.Member]++; harmed[s.Part.Member] == 1 {
			at[s.Part.Group] = append(at[s.Part.Group], s.Part.Member)
		}
		groups[s.Part.Group] = s.Part.AtOnce
	}
	spared := map[manifest.Key]bool{}
	for group, members := range at {
		slices.SortFunc(members, func(a, b manifest.Key) int { return cmp.Or(cmp.Compare(harmed[b], harmed[a]), a.Compare(b)) })
		for _, member := range members[min(groups[group], len(members)):] {
			spared[member] = true
		}
	}
	return spared
}

func (t destroyedCount) inGroup(s plan.Step, harms bool) {
	if s.Part == nil || s.Have == nil {
		return
	}
	g := t.groups[s.Part.Group]
	if g == nil {
		g = &members{map[manifest.Key]bool{}, map[manifest.Key]bool{}}
		t.groups[s.Part.Group] = g
	}
	g.all[s.Part.Member] = true
	if harms {
		g.harmed[s.Part.Member] = true
	}
}

func (c *count) add(s plan.Step) {
	c.harmed++
	if s.Have != nil && (s.Have.Mark == nil || s.Have.Copied != "") {
		c.owned++ // the step adopts the object, so the stack's objects do not include it yet
	}
	verb := slices.Index([]plan.Action{plan.Delete, plan.Recreate, plan.Update}, s.Action)
	if s.CutsOnly() {
		verb++
	}
	c.verbs[verb] = true
}

// over says which limits are exceeded, and by how much.
func (t destroyedCount) over(limits Limits) (reasons cause.List) {
	switch c := t.all; {
	case c.harmed == 0 || limits.All.unlimited():
	case c.harmed > limits.All.countOf(c.owned):
		reasons = reasons.And(cause.Of(cause.OverLimit, c.verb(), c.harmed, c.owned, t.byKind(), limits.All))
	case c.harmed == c.owned:
		reasons = reasons.And(cause.Of(cause.OverAll, c.verb(), t.byKind()))
	}
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		limit, limited := limits.Kinds[kind]
		if c := t.kinds[kind]; limited && c.harmed > limit.countOf(c.owned) {
			reasons = reasons.And(cause.Of(cause.OverKind, c.verb(), c.harmed, c.owned, kind, limit))
		}
	}
	for _, group := range slices.SortedFunc(maps.Keys(t.groups), manifest.Key.Compare) {
		g := t.groups[group]
		if n := len(g.harmed); n > 1 && n > limits.All.countOf(len(g.all)) {
			reasons = reasons.And(cause.Of(cause.OverGroup, n, len(g.all), group, limits.All))
		}
	}
	return reasons
}

// verb lists the kinds of harm, for example "delete", or "delete, replace or wipe".
func (c count) verb() (list cause.Or) {
	for i, done := range c.verbs {
		if done {
			list = append(list, verbs[i])
		}
	}
	return list
}

// byKind lists the destroyed objects by kind. The kind with the largest number comes first.
func (t destroyedCount) byKind() string {
	kinds := slices.SortedFunc(maps.Keys(t.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.kinds[b].harmed, t.kinds[a].harmed), strings.Compare(a, b))
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", t.kinds[kind].harmed, kind)
	}
	return strings.Join(kinds, ", ")
}
