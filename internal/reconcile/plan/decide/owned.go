package decide

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// decideOwned makes the step for an object that is in the cloud.
func (p *planner) decideOwned(s plan.Step, d *kind.Desired, have *kind.Live) plan.Step {
	s.Have = have
	s.Adopts = p.AdoptedByID(d) == have && (have.Mark == nil || have.Copied != "") || d.Import != nil && d.Import.Searches() && have.Mark == nil && have != p.unmarked(d)
	p.noteFound(d, have)
	if refusal := p.cannotBe(d, have, s.Adopts); !refusal.IsZero() {
		return s.Refused(refusal)
	}
	p.found.DesiredOf[have] = d
	s.ManifestUnchanged = p.Applied(d, have.Mark) || have.Mark != nil && have.Mark.Applied == kind.HalfMade
	if d.Options.Suspend {
		if p.found.Ready[d] && d.Unread == nil {
			s.Uncounted = p.differences(s)
		}
		return suspend(s, d)
	}
	if c, sick := p.cureOf(d); sick && p.found.Ready[d] {
		return p.heal(s, d, c)
	}
	switch have.Phase {
	case kind.Deleting:
		s.Drift = !p.Begun[d.Key] && (p.Synced || p.Applied(d, have.Mark))
		return s.WithAction(plan.Wait, cause.Of(cause.BeingDeleted), cause.Of(cause.RecreatedLater))
	case kind.Failed:
		return p.decideFailed(s, d)
	case kind.Pending:
		return s.WithAction(plan.Wait, cloudMessage(have))
	case kind.Ready, kind.Degraded, kind.Begun:
	}
	var former manifest.Key
	if have.Mark != nil && have.Mark.Owner != s.Viewed.Mark.Owner {
		former = p.formerKey(d, have)
	}
	differs, moved, ignored, notes := p.changes(s, former)
	s.Ignored, moved = ignored, append(moved, p.entryChange(d, have)...)
	s.Changes, s.Notes = append(append(differs, moved...), p.requestedChange(d, have)...), slices.Concat(d.Notes, notes)
	for _, c := range ignored {
		if c.Disruption == kind.Replace && p.movedImport(d, have, c) != nil {
			s.Outrun = append(s.Outrun, c)
		}
	}
	s.From = former.Name
	s.Drift = former == (manifest.Key{}) && p.drifted(d, have, differs)
	if frozen, stays := p.freeze(s, d); stays {
		return p.addUpkeep(frozen, d)
	}
	fixed := slices.IndexFunc(s.Changes, func(c kind.Change) bool { return c.Disruption == kind.Replace })
	barred := slices.IndexFunc(s.Changes, func(c kind.Change) bool { return c.Disruption == kind.Replace && !p.mayReplace(d, have, c) })
	switch {
	case len(s.Changes) == 0:
		return p.addUpkeep(s.WithAction(plan.Keep, cloudMessage(have)), d)
	case len(lostElements(s.Changes)) > 0:
		return s.WithAction(plan.Refuse, lostElementsCause(lostElements(s.Changes)))
	case fixed < 0:
		s.Action = plan.Update
		if former != (manifest.Key{}) {
			s.Causes = cause.List{cause.Of(cause.Was, former)}
		}
		return p.await(s, d)
	case p.KindOf[d.Key.Kind].Info.IDIsName && s.Changes[fixed].Field == plan.RequestField:
		return s.Refused(cause.Of(cause.RequestedName))
	case barred >= 0:
		return s.WithAction(plan.Refuse, p.whyNotReplace(d, have, s.Changes[barred]))
	default:
		return p.recreate(s, d, whyReplace(s.Changes[fixed]))
	}
}

// cloudMessage returns the message of the cloud about an object as a cause; zero if there is none.
func cloudMessage(l *kind.Live) cause.Cause {
	if l.Message == "" {
		return cause.Cause{}
	}
	return cause.Of(cause.Reported, l.Message)
}

func (p *planner) recreate(s plan.Step, d *kind.Desired, reason cause.Cause) plan.Step {
	if s.Adopts {
		return s.Refused(reason, cause.Of(cause.AdoptFirst))
	}
	if left := p.othersElements(s); len(left) > 0 {
		return s.Refused(reason, lostElementsCause(left))
	}
	if locked := p.locked[s.Have]; !locked.IsZero() {
		return s.Refused(locked)
	}
	if d.Import != nil {
		return s.Refused(reason, cause.Of(cause.WasAdopted, d.Import.Where()))
	}
	if copies := p.identify(d).copied; len(copies) > 0 { // after this object is deleted, the copy would prevent the creation of the new one
		return s.Refused(reason, cause.Of(cause.CopyBeside, p.copiedText(d.Key.Kind, copies[0])))
	}
	why := p.impossible(d, s.Have, s.View())
	if taken := p.nameTaken(d, s.Have); taken != nil {
		why = p.takenText(taken)
	}
	if !why.IsZero() {
		return s.Refused(reason, cause.Of(cause.AnotherCannot, why))
	}
	if why := p.likelyRefusal(d, s); why != "" {
		return s.Refused(reason, cause.Of(cause.AnotherDoubtful, why, resolve.AnnotationReplace))
	}
	s = s.WithAction(plan.Recreate, reason)
	p.found.GetsNewID[d.Key] = !p.KindOf[d.Key.Kind].Info.IDIsName
	return p.await(s, d)
}

// lostElements returns the elements left to others that changes would delete.
func lostElements(changes []kind.Change) (elements []string) {
	for _, c := range changes {
		elements = append(elements, c.LostElements...)
	}
	return elements
}

// othersElements returns the elements left to others that the deletion of an object would remove. They are elements of the object itself,
// or elements of other objects that the cloud removes together with it.
func (p *planner) othersElements(s plan.Step) []string {
	own := p.differing(s.Want, s.Have)
	elements := own.Foreign()
	for _, user := range p.Cloud.UsersOf(s.Have) {
		if user == s.Have || user.Mark == nil || !slices.Contains(user.AutoDetached, s.Have.ID) {
			continue
		}
		theirs := p.differing(p.ByOwner[user.Mark.Owner], user)
		for _, element := range theirs.ForeignWith(s.Have.ID) {
			elements = append(elements, element+" of "+p.userText(user))
		}
	}
	return elements
}

// differing compares an object with its manifest, to find the elements left to others. It finds nothing without a manifest, or if the manifest
// ignores no field.
func (p *planner) differing(d *kind.Desired, have *kind.Live) (c kind.Changes) {
	if d == nil || d.Spec == nil || len(d.Options.Ignore) == 0 {
		return c
	}
	return d.Conceal(p.KindOf[d.Key.Kind].Diff(p.view(d, d.Spec), have.State))
}

// lostElementsCause returns the cause that refuses changes which would delete elements left to others.
func lostElementsCause(elements []string) cause.Cause {
	return cause.Of(cause.TakesLeft, resolve.AnnotationIgnore, strings.Join(elements, ", "))
}
