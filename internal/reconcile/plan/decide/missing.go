package decide

import (
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// decideMissing makes the step for a desired object that is not in the cloud.
func (p *planner) decideMissing(s plan.Step, d *kind.Desired) plan.Step {
	if d.Options.Suspend {
		return suspend(s, d, cause.Of(cause.NotThere))
	}
	if why := p.unmadeFor(d); !why.IsZero() {
		return p.leaveUnmade(s, d, why)
	}
	if d.Import != nil {
		return p.decideUnadopted(s, d)
	}
	why := p.impossible(d, nil, s.View())
	if taken := p.nameTaken(d, nil); taken != nil {
		return s.Refused(p.takenText(taken))
	}
	if !why.IsZero() {
		return s.Refused(cause.Of(cause.CannotCreate, why))
	}
	if why := p.mayExistInOtherEntry(d); !why.IsZero() {
		s.Error = true
		return s.WithAction(plan.Wait, why)
	}
	s.Lost = p.KnownIDs[s.Identity()]
	s.Action, s.Drift = plan.Create, p.Synced && !d.Scaled && !p.Begun[d.Key] || s.Lost != "" || p.wasWanted(d) // a requested scale-up is not drift; a policy (guard.ReportDrift) may only report drift
	s.Causes = cause.List(nil).And(p.unreadyLateTargets(d))
	p.found.GetsNewID[d.Key] = !p.KindOf[d.Key.Kind].Info.IDIsName
	return p.await(s, d)
}

// wasWanted reports whether a missing object most likely existed before, because the previous commit had the same manifest.
func (w worldReader) wasWanted(d *kind.Desired) bool {
	sum, known := w.PreviousSums[d.Key]
	return known && sum == d.Sum && w.Owned > 0 && !d.Scaled && !w.Begun[d.Key]
}

func (w worldReader) takenText(by *kind.Live) cause.Cause {
	if !by.InOwnProject || by.Mark != nil {
		return cause.Of(cause.NameTaken, printable.Name(by.Name), by.ID, w.Stack)
	}
	return cause.Of(cause.NameAdoptable, printable.Name(by.Name), by.ID, w.Stack, by.ID)
}

// nameTaken finds an object that has the name of d and that is not have, the present object of d. If the cloud requires unique names, any
// object counts. Otherwise an object counts only if it is in the project, is not being deleted, and belongs to no stack. An object that is
// being deleted may have lost its mark already.
func (p *planner) nameTaken(d *kind.Desired, have *kind.Live) *kind.Live {
	k := p.KindOf[d.Key.Kind]
	for _, item := range p.Cloud.Collection(d.Key.Kind).WithName(k.Name(p.view(d, d.Spec))) {
		if item != have && item.Name != "" && item.SeenBy(d.Entry) != nil && (k.Info.UniqueNames || p.inProject(d, item) && item.Phase != kind.Deleting && (item.Mark == nil || item.Mark.Rivals != "" || item.Copied != "")) {
			return item
		}
	}
	return nil
}
