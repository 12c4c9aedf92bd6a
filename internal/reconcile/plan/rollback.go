package plan

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A group whose change does not work can go back to what its other members still are. Their marks say what that
// is, by a digest, and the repository's history has the manifests of which that is the digest.

// Failing is a group that shall go back because a member that was changed does not serve.
type Failing struct {
	Group, Member manifest.Key
	// Noted is the member whose mark remembers it: the same one, or the first one for a spare, which goes.
	Noted manifest.Key
	// Digest stands for what that was or would be changed to, Refused for the same in its mark.
	Digest, Refused string
	// Recalled is true of a group that went back before, as the mark of the member says.
	Recalled bool
	// Since is when the member began to work, Limit how long it may not serve; 0 where the group does not say.
	Since time.Time
	Limit time.Duration
	Why   string

	serving []*Step // the work of those members that serve and were not changed yet
	in      Input
}

// Fallback is what a group is kept at instead of what the repository wants of it.
type Fallback struct {
	Failing
	Commit string
	Want   []kind.Desired // what the group stood for, and what that used and was not managed

	parts map[manifest.Key]bool // of Want, those that the group stood for
}

// NewFallback is what a group was at a commit, which wanted all this.
func NewFallback(f Failing, commit string, all []kind.Desired) Fallback {
	parts, byKey, used := partsOf(all, f.Group), map[manifest.Key]kind.Desired{}, map[manifest.Key]bool{}
	for _, d := range all {
		byKey[d.Key] = d
	}
	back := Fallback{Failing: f, Commit: commit, parts: parts}
	back.serving = nil // which keeps a whole plan alive
	for _, d := range all {
		if !parts[d.Key] {
			continue
		}
		for _, ref := range d.Refs {
			if on, ok := byKey[ref.Key]; ok && !parts[ref.Key] && !used[ref.Key] && (on.Unmanaged || on.Data != nil) {
				used[ref.Key], back.Want = true, append(back.Want, on)
			}
		}
		back.Want = append(back.Want, d)
	}
	return back
}

// String says why, and what becomes of it.
func (f Fallback) String() string {
	return fmt.Sprintf("went back to what it was at commit %.10s: %s did not serve after it was changed (%s); correct its template, or undo the change", f.Commit, f.Member, f.Why)
}

// Failing are the groups of the plan that shall go back.
func (p Plan) Failing() []Failing { return p.failing }

// Fallbacks are the groups that are kept at something else than the repository wants, in the order of the
// workloads.
func (p Plan) Fallbacks() []Fallback { return p.fallbacks }

// noteFailing notes that a group shall go back, if there is anything to go back to: once, because of the member that has not
// served for the longest time.
func (p *planner) noteFailing(g *group, m *member) {
	since := m.failing()
	if _, back := p.Fallbacks[g.key]; back || !g.strategy.Rollback || since.IsZero() || m.works.want == nil {
		return
	}
	noted := slices.IndexFunc(p.failing, func(f Failing) bool { return f.Group == g.key && !f.Recalled })
	if noted >= 0 && !since.Before(p.failing[noted].Since) {
		return
	}
	f := p.newFailing(g, m, m.found.Sick)
	f.Since, f.Limit = since, g.strategy.Deadline
	if m.accuser != nil {
		f.Why = m.accuser.Key.String() + " reports it down"
	}
	for _, other := range g.members {
		if (len(other.changes) > 0 || other.outdated()) && p.conditionOf(other).Health == rollout.Serving && other.works.have.Mark != nil {
			f.serving = append(f.serving, other.works)
		}
	}
	switch {
	case len(f.serving) == 0:
	case noted >= 0:
		p.failing[noted] = f
	default:
		p.failing = append(p.failing, f)
	}
}

func (p *planner) newFailing(g *group, m *member, why string) Failing {
	noted := m
	for _, other := range g.members {
		if noted.spare && !other.spare && other.works != nil && other.works.want != nil {
			noted = other
		}
	}
	return Failing{Group: g.key, Member: m.works.Key, Noted: noted.works.Key, Digest: noted.works.want.Digest, Refused: p.digest(noted.works.want), Why: why,
		in: Input{Stack: p.Stack, Printer: p.Printer}}
}

// recall notes that a group went back before, as the mark of one of its members says: the process that knew may have
// ended.
func (p *planner) recall(g *group) {
	if _, back := p.Fallbacks[g.key]; back || !g.strategy.Rollback {
		return
	}
	for _, m := range g.members {
		if m.works == nil || m.works.want == nil || m.works.have == nil || m.works.have.Mark == nil || m.works.have.Mark.Refused == "" ||
			!p.applied(m.works.want, &kind.Mark{Applied: m.works.have.Mark.Refused}) {
			continue
		}
		f := p.newFailing(g, m, "an earlier pass saw it")
		f.Recalled = true
		for _, other := range g.members {
			if other.works != nil && other.works.have != nil && other.works.have.Mark != nil && (len(other.changes) > 0 || other.outdated()) {
				f.serving = append(f.serving, other.works)
			}
		}
		if len(f.serving) > 0 {
			p.failing = append(p.failing, f)
		}
		return
	}
}

// refused is what the group of an object went back from, where the object is the one that remembers it.
func (p *planner) refused(d *kind.Desired) string {
	for _, f := range p.Fallbacks {
		if f.Noted == d.Key {
			return f.Refused
		}
	}
	return ""
}

// MadeBy reports whether what a commit wanted is what the members are that serve.
func (f Failing) MadeBy(want []kind.Desired) bool {
	p := &planner{Input: f.in}
	for _, s := range f.serving {
		at := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key == s.Key })
		if at < 0 || !p.applied(&want[at], s.have.Mark) {
			return false
		}
	}
	return slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Key == f.Noted })
}

// fallenBack are the objects of a revision, with those of the groups that are kept at something else as they were
// then, in an order in which nothing stands before what it refers to.
func (in Input) fallenBack() []kind.Desired {
	if len(in.Fallbacks) == 0 {
		return in.Want
	}
	there := map[manifest.Key]bool{}
	for group := range in.Fallbacks {
		maps.Copy(there, partsOf(in.Want, group)) // which are not added as they are now
	}
	var want []kind.Desired
	add := func(d kind.Desired) {
		if !there[d.Key] {
			there[d.Key], want = true, append(want, d)
		}
	}
	for _, d := range in.Want {
		add(d)
	}
	for _, f := range in.Fallbacks {
		for _, d := range f.Want {
			if f.parts[d.Key] {
				want = append(want, d)
			} else {
				add(d)
			}
		}
	}
	return inOrder(want)
}

// partsOf are the objects that a group stands for.
func partsOf(want []kind.Desired, group manifest.Key) map[manifest.Key]bool {
	parents, parts := map[manifest.Key]manifest.Key{}, map[manifest.Key]bool{}
	for _, d := range want {
		parents[d.Key] = d.Parent
	}
	for _, d := range want {
		for at, depth := d.Parent, 0; at != (manifest.Key{}) && depth < len(parents); at, depth = parents[at], depth+1 {
			if at == group {
				parts[d.Key] = true
				break
			}
		}
	}
	return parts
}

// inOrder puts each object behind what it refers to, and changes the order no further than that takes.
func inOrder(want []kind.Desired) []kind.Desired {
	at := map[manifest.Key]int{}
	for i, d := range want {
		at[d.Key] = i
	}
	rank := resolve.Components(len(want), func(i int) (next []int) {
		for _, ref := range want[i].Refs {
			if to, ok := at[ref.Key]; ok && !ref.Late {
				next = append(next, to)
			}
		}
		return next
	})
	order := make([]int, len(want))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank[a] - rank[b] })
	out := make([]kind.Desired, len(want))
	for i, from := range order {
		out[i] = want[from]
	}
	return out
}
