package group

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// What the members of a group share may be replaced, and each of them has to follow. Whether they can take turns depends on what keeps it from going:
//
//	what they share                          then
//	--------------------------------------   -------------------------------------------------
//	cannot go while they use it: a subnet    they go at once, since none can be back before
//	can: a server group, an image            it is replaced first, and they follow in their turns
//	is not there                             it is made first, and they follow in their turns

// shared are the objects that a member's step refers to by fixed references, that are none of the member's own, and that are to be made.
func (gs *Groups) shared(m *member, s *plan.Step) (keys []manifest.Key) {
	for _, ref := range s.Want.Refs {
		if ref.Fixed && gs.found.Doomed[ref.Key] && !m.has(ref.Key) {
			keys = append(keys, ref.Key)
		}
	}
	return keys
}

// makeWay reports whether the members go because something goes that they share, and that cannot go before they do.
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

// keeps reports whether an object keeps another one from going; nil is one that is not there.
func (w given) keeps(user, of *kind.Live) bool {
	return of != nil && slices.Contains(w.Cloud.UsersOf(of), user) && !world.Loosely(user, of)
}

// holdRenewed has members wait for what they share and is made first: no one is interrupted before it is there.
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
