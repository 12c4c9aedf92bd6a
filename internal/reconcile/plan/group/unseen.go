package group

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Some objects send traffic to members of a group, or report whether they serve. If listing these objects fails, it is unknown whether the
// last changed member serves, and no member can be drained. So no serving member is interrupted, and surplus members stay.

// judgesUnseen returns, by group, the first object of the stack that may report whether members serve and that cannot be listed.
func (w worldReader) judgesUnseen() map[manifest.Key]manifest.Key {
	hidden := map[manifest.Key]manifest.Key{}
	for i := range w.Want {
		d := &w.Want[i]
		if k := w.KindOf[d.Key.Kind]; d.Virtual || d.Absent() || k == nil || !k.Info.ReportsHealth {
			continue
		}
		if c, known := w.Have[d.Key.Kind]; known && c.Unlisted(d.Entry) == nil {
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

// groupAt returns the key of a group: of the group with that key, or of the group to which the object with that key belongs. It is zero if
// there is none.
func (w worldReader) groupAt(key manifest.Key) manifest.Key {
	d := w.ByKey[key]
	if part := w.PartOf(d); part != nil {
		return part.Group
	}
	if d != nil && d.Rollout != nil {
		return key
	}
	return manifest.Key{}
}

// holdUnseen makes serving members wait while an object that may report whether they serve cannot be listed.
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

// unlistedJudgeCause returns the cause of a step that waits until an object that may report whether members serve can be listed.
func unlistedJudgeCause(judge manifest.Key) cause.Cause { return cause.Of(cause.Seen, judge) }
