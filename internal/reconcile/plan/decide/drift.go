package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// drifted reports whether somebody changed an object in the cloud: some of its differences have no other explanation, and the manifest in its present
// form was applied to it before.
func (p *planner) drifted(d *kind.Desired, have *kind.Live, differs []kind.Change) bool {
	own := slices.DeleteFunc(slices.Clone(differs), func(c kind.Change) bool { return c.Unfinished || p.follows(d, have, c) })
	own = p.changesNotFromOptional(own, d, have)
	if len(own) == 0 || len(own) == 1 && p.sameMeaning(d, have.Mark) {
		return false
	}
	return !p.targetGone(d) && !p.learned.Drains[d.Key] && !p.Begun[d.Key] && (p.Synced || have == p.unmarked(d) || have.Copied == "" && p.Applied(d, have.Mark))
}

// changesNotFromOptional returns the differences of an object that do not result from spares or scaled members. Such members exist only for a time.
// An object may still use one that is being deleted, or may not use a new one yet, although nobody changed the object. Therefore the object
// is compared as if its group had exactly the further members that the object uses.
func (p *planner) changesNotFromOptional(own []kind.Change, d *kind.Desired, have *kind.Live) []kind.Change {
	if len(own) == 0 {
		return own
	}
	used := p.optionalUsed(d, have)
	if len(used) == 0 {
		return own
	}
	scene := *p.lookups
	scene.Lookup = func(key manifest.Key) kind.Ref {
		switch live, further := used[key]; {
		case !further:
			return p.lookup(key)
		case live == nil:
			return kind.Ref{Key: key, Spare: true}
		default:
			return kind.Ref{Key: key, Ready: true, ID: live.ID, Facts: live.Facts}
		}
	}
	c := p.KindOf[d.Key.Kind].Diff(kind.NewWant(d, d.Spec, p.mark(d), kind.Lookups{PlanLookups: &scene, Former: p.identities(d)}), have.State)
	left := map[string]bool{kind.MarkField: true}
	for _, change := range c.List() {
		left[kind.WithoutIndexes(change.Field)] = true
	}
	return slices.DeleteFunc(slices.Clone(own), func(c kind.Change) bool { return !left[kind.WithoutIndexes(c.Field)] })
}

// optionalUsed returns the spares and scaled members among the targets of d about which the group and the object in the cloud differ. A
// member that the object uses and that is being deleted has its live object in the map. A member that the object does not use yet has nil.
func (p *planner) optionalUsed(d *kind.Desired, have *kind.Live) map[manifest.Key]*kind.Live {
	if p.Optional == nil {
		return nil
	}
	used := map[manifest.Key]*kind.Live{}
	for _, ref := range d.Refs {
		target := p.Optional.ByKey[ref.Key]
		if target == nil {
			continue
		}
		var live *kind.Live
		if sole := p.claims(target).Sole; len(sole) == 1 && slices.Contains(p.Cloud.UsersOf(sole[0]), have) {
			live = sole[0]
		}
		if (live != nil) != (p.ByKey[ref.Key] != nil) {
			used[ref.Key] = live
		}
	}
	return used
}
