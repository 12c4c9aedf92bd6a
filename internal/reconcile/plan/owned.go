package plan

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// decideOwned makes the step for an object that is in the cloud.
func (p *planner) decideOwned(s Step, d *kind.Desired, have *kind.Live[any]) Step {
	s.have = have
	s.Adopts = p.named(d) == have && (have.Mark == nil || have.Copied != "") || d.Import != nil && d.Import.Searches() && have.Mark == nil && have != p.unmarked(d)
	p.live[d.Key] = have
	p.ready[d.Key] = have.Phase.Usable()
	if s.Adopts {
		if refusal := p.cannotTake(d, have); refusal != "" {
			s.Error = true
			return s.withAction(Refuse, refusal)
		}
	}
	if d.Options.Suspend {
		if p.ready[d.Key] {
			s.aside = p.differences(d, have)
		}
		return s.withAction(Keep, "suspended")
	}
	if c, sick := p.cureOf(d); sick && p.ready[d.Key] {
		return p.heal(s, d, c)
	}
	switch have.Phase {
	case kind.Deleting:
		s.Drift = !p.Begun[d.Key] && (p.Synced || p.applied(d, have.Mark))
		return s.withAction(Wait, "is being deleted; recreated when it is gone")
	case kind.Failed:
		return p.recreate(s, d, "failed: "+have.Message)
	case kind.Pending:
		return s.withAction(Wait, have.Message)
	case kind.Ready, kind.Degraded, kind.Begun:
	}
	differs, moved, ignored, notes := p.changes(d, have)
	s.Ignored, moved = ignored, append(moved, p.throughAnother(d, have)...)
	s.Changes, s.Notes = append(differs, moved...), slices.Concat(d.Notes, notes)
	drifted := len(differs) > 1 || len(differs) == 1 && !p.renewed(d, have.Mark)
	former := p.formerKey(d, have)
	s.Drift = drifted && former == (manifest.Key{}) && !p.bereft(d) && !p.scales(d, have) && !p.drains[d.Key] && !p.Begun[d.Key] && (p.Synced || have == p.unmarked(d) || have.Copied == "" && p.applied(d, have.Mark))
	if left, stays := p.leave(s, d); stays {
		return p.tend(left, d)
	}
	fixed := slices.IndexFunc(s.Changes, func(c kind.Change) bool { return c.Disruption == kind.Replace })
	barred := slices.IndexFunc(s.Changes, func(c kind.Change) bool { return c.Disruption == kind.Replace && !p.mayReplace(d, c) })
	switch {
	case len(s.Changes) == 0:
		return p.tend(s.withAction(Keep, have.Message), d)
	case fixed < 0:
		s.Action = Update
		if former != (manifest.Key{}) {
			s.Reason = "was " + former.String()
		}
		return p.await(s, d)
	case barred >= 0:
		return s.withAction(Refuse, whyBarred(d, s.Changes[barred]))
	default:
		return p.recreate(s, d, s.Changes[fixed].Field+" cannot be changed in place")
	}
}

func (p *planner) recreate(s Step, d *kind.Desired, reason string) Step {
	if s.Adopts {
		s.Error = true
		return s.withAction(Refuse, reason+"; an object that no stack owned is not recreated in the step that adopts it: adopt it as it is, and replace it by a later commit")
	}
	if locked := p.locked[s.have]; locked != "" {
		s.Error = true
		return s.withAction(Refuse, locked)
	}
	if d.Import != nil {
		s.Error = true
		return s.withAction(Refuse, fmt.Sprintf("%s; it was adopted, and no other is made while the manifest asks to adopt one: remove %s first", reason, d.Import.Where()))
	}
	if why := p.impossible(d, s.have, s.View()); why != "" {
		s.Error = true
		return s.withAction(Refuse, reason+"; another cannot be created: "+why)
	}
	s = s.withAction(Recreate, reason)
	p.doomed[d.Key] = !p.kinds[d.Key.Kind].Info().IDIsName
	return p.await(s, d)
}
