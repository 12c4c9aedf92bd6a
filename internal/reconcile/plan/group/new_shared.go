package group

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// If an object that the members of a group share is replaced, each member has to be replaced, too. The members can take turns unless they
// prevent the deletion of the shared object:
//
//	the shared object                                               the order
//	-------------------------------------------------------------   ------------------------------------------------------------------
//	cannot be deleted while members use it (a subnet)               all members are deleted, the object is replaced, all are created
//	can be deleted while members use it (a server group, an image)  the object is replaced, then the members are replaced in turns
//	does not exist                                                  the object is created, then the members are replaced in turns

// shared returns the objects that a member's step refers to by fixed references, that do not belong to the member, and that will get a new
// ID.
func (gs *Groups) shared(m *member, s *plan.Step) (keys []manifest.Key) {
	for _, ref := range s.Want.Refs {
		if ref.Fixed && gs.found.GetsNewID[ref.Key] && !m.has(ref.Key) {
			keys = append(keys, ref.Key)
		}
	}
	return keys
}

// deletedTogether reports whether all members have to be deleted at the same time, because an object that they share is replaced and cannot be
// deleted before them.
func (gs *Groups) deletedTogether(g *group) bool {
	for _, m := range g.members {
		for _, s := range m.changes {
			if slices.ContainsFunc(gs.shared(m, s), func(key manifest.Key) bool { return gs.preventsDeletion(s.Have, gs.found.Live[gs.ByKey[key]]) }) {
				return true
			}
		}
	}
	return false
}

// preventsDeletion reports whether the object user prevents the deletion of the object used. used is nil if it does not exist.
func (w worldReader) preventsDeletion(user, used *kind.Live) bool {
	return used != nil && slices.Contains(w.Cloud.UsersOf(used), user) && !world.Loosely(user, used)
}

// awaitNewShared makes members wait for a shared object that is created first, so that no member is interrupted before that object exists.
func (gs *Groups) awaitNewShared(g *group) {
	if g.newShared = gs.newSharedFor(g); g.newShared == (manifest.Key{}) {
		return
	}
	for i, m := range g.members {
		if g.decision.Verdicts[i] == rollout.Go && len(m.changes) > 0 {
			g.decision.Verdicts[i] = rollout.Wait
		}
	}
}

func (gs *Groups) newSharedFor(g *group) manifest.Key {
	if gs.deletedTogether(g) {
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
