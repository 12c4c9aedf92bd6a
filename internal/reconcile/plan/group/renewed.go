package group

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// An object that the members of a group share may be replaced, and each member has to follow. They can take turns unless they themselves keep the
// shared object from being deleted:
//
//	the shared object                         then
//	--------------------------------------    ---------------------------------------------------------
//	cannot go while they use it: a subnet     all members go at once, since none can be back before
//	can: a server group, an image             it is replaced first, and the members follow in their turns
//	does not exist                            it is created first, and the members follow in their turns

// shared are the objects that a member's step refers to by fixed references, that do not belong to the member, and that will get a new ID.
func (gs *Groups) shared(m *member, s *plan.Step) (keys []manifest.Key) {
	for _, ref := range s.Want.Refs {
		if ref.Fixed && gs.found.Doomed[ref.Key] && !m.has(ref.Key) {
			keys = append(keys, ref.Key)
		}
	}
	return keys
}

// makeWay reports whether all members have to go at once, because an object that they share is replaced and cannot go before them.
func (gs *Groups) makeWay(g *group) bool {
	for _, m := range g.members {
		for _, s := range m.changes {
			if slices.ContainsFunc(gs.shared(m, s), func(key manifest.Key) bool { return gs.keeps(s.Have, gs.found.Live[key]) }) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether an object prevents another one from being deleted. of is nil for one that does not exist.
func (w given) keeps(user, of *kind.Live) bool {
	return of != nil && slices.Contains(w.Cloud.UsersOf(of), user) && !world.Loosely(user, of)
}

// holdRenewed makes members wait for a shared object that is created first: no member is interrupted before it exists.
func (gs *Groups) holdRenewed(g *group) {
	if g.renewed = gs.renewedFor(g); g.renewed == (manifest.Key{}) {
		return
	}
	for i, m := range g.members {
		if g.decision.Verdicts[i] == rollout.Go && len(m.changes) > 0 {
			g.decision.Verdicts[i] = rollout.Wait
		}
	}
}

func (gs *Groups) renewedFor(g *group) manifest.Key {
	if gs.makeWay(g) {
		return manifest.Key{}
	}
	for _, m := range g.members {
		for _, s := range m.changes {
			if keys := gs.shared(m, s); len(keys) > 0 {
				return keys[0]
			}
		}
	}
	return manifest.Key{}
}
