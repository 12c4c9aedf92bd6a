package group

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// What sends something to members of a group, or says how they are, may be unknown because its list failed. Then
// nobody knows whether the last one that was changed serves, and none can be drained: no member that serves is
// interrupted, and what the group has too many stays.

// judgesUnseen are, by group, the first object of the stack that may judge its members and cannot be seen.
func (w given) judgesUnseen() map[manifest.Key]manifest.Key {
	hidden := map[manifest.Key]manifest.Key{}
	for i := range w.Want {
		d := &w.Want[i]
		if k := w.KindOf[d.Key.Kind]; d.Virtual || d.Absent() || k == nil || !k.Info.ReportsHealth {
			continue
		}
		if c, known := w.Have[d.Key.Kind]; known && c.Blind(d.Entry) == nil {
			continue
		}
		groups := []manifest.Key{w.groupAt(d.Key)}
		for _, ref := range d.Refs {
			groups = append(groups, w.groupAt(ref.Key))
		}
		for _, group := range groups {
			if _, first := hidden[group]; !first && group != (manifest.Key{}) {
				hidden[group] = d.Key
			}
		}
	}
	return hidden
}

// groupAt is the group that a key is of, or that something of it is a part of; zero for none.
func (w given) groupAt(key manifest.Key) manifest.Key {
	d := w.ByKey[key]
	if part := w.PartOf(d); part != nil {
		return part.Group
	}
	if d != nil && d.Rollout != nil {
		return key
	}
	return manifest.Key{}
}

// holdUnseen has members that serve wait while what may judge them cannot be seen.
func (gs *Groups) holdUnseen(g *group, members []rollout.Member) {
	judge, unseen := gs.hidden[g.key]
	if !unseen || g.strategy.Type == rollout.Recreate {
		return
	}
	g.unseen = judge
	for i, m := range members {
		if g.decision.Verdicts[i] == rollout.Go && m.Health == rollout.Serving && m.Changes {
			g.decision.Verdicts[i] = rollout.Wait
		}
	}
}

// whenSeen is until when members wait while what may judge them cannot be seen.
func whenSeen(judge manifest.Key) cause.Cause { return cause.Of(cause.Seen, judge) }
