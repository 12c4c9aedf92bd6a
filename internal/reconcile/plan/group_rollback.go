package plan

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
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
	digests digests // of its stack
}

// Failing are the groups of the plan that shall go back.
func (p Plan) Failing() []Failing { return p.failing }

// Fallbacks are the groups that are kept at something else than the repository wants, in the order of the
// workloads.
func (p Plan) Fallbacks() []Fallback { return p.fallbacks }

// noteFailing notes that a group shall go back, if there is anything to go back to: once, because of the member that has not
// served for the longest time.
func (gs *groups) noteFailing(g *group, m *member) {
	since := m.failing()
	if _, back := gs.Fallbacks[g.key]; back || !g.strategy.Rollback || since.IsZero() || m.works.want == nil {
		return
	}
	noted := slices.IndexFunc(gs.failing, func(f Failing) bool { return f.Group == g.key && !f.Recalled })
	if noted >= 0 && !since.Before(gs.failing[noted].Since) {
		return
	}
	f := gs.newFailing(g, m, m.found.Sick)
	f.Since, f.Limit = since, g.strategy.Deadline
	if m.accuser != nil {
		f.Why = m.accuser.Key.String() + " reports it down"
	}
	for _, other := range g.members {
		if (len(other.changes) > 0 || other.outdated()) && gs.conditionOf(other).Health == rollout.Serving && other.works.have.Mark != nil {
			f.serving = append(f.serving, other.works)
		}
	}
	switch {
	case len(f.serving) == 0:
	case noted >= 0:
		gs.failing[noted] = f
	default:
		gs.failing = append(gs.failing, f)
	}
}

func (w *world) newFailing(g *group, m *member, why string) Failing {
	noted := m
	for _, other := range g.members {
		if noted.spare && !other.spare && other.works != nil && other.works.want != nil {
			noted = other
		}
	}
	return Failing{Group: g.key, Member: m.works.Key, Noted: noted.works.Key, Digest: noted.works.want.Digest, Refused: w.digest(noted.works.want), Why: why,
		digests: w.digests}
}

// recall notes that a group went back before, as the mark of one of its members says: the process that knew may have
// ended.
func (gs *groups) recall(g *group) {
	if _, back := gs.Fallbacks[g.key]; back || !g.strategy.Rollback {
		return
	}
	for _, m := range g.members {
		if m.works == nil || m.works.want == nil || m.works.have == nil || m.works.have.Mark == nil || m.works.have.Mark.Refused == "" ||
			!gs.applied(m.works.want, &kind.Mark{Applied: m.works.have.Mark.Refused}) {
			continue
		}
		f := gs.newFailing(g, m, "an earlier pass saw it")
		f.Recalled = true
		for _, other := range g.members {
			if other.works != nil && other.works.have != nil && other.works.have.Mark != nil && (len(other.changes) > 0 || other.outdated()) {
				f.serving = append(f.serving, other.works)
			}
		}
		if len(f.serving) > 0 {
			gs.failing = append(gs.failing, f)
		}
		return
	}
}

// refused is what the group of an object went back from, where the object is the one that remembers it.
func (w *world) refused(d *kind.Desired) string {
	for _, f := range w.Fallbacks {
		if f.Noted == d.Key {
			return f.Refused
		}
	}
	return ""
}

// MadeBy reports whether what a commit wanted is what the members are that serve.
func (f Failing) MadeBy(want []kind.Desired) bool {
	for _, s := range f.serving {
		at := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key == s.Key })
		if at < 0 || !f.digests.applied(&want[at], s.have.Mark) {
			return false
		}
	}
	return slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Key == f.Noted })
}
