package group

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// TellSick marks the objects that do the work of members: what probes found out of these is shown with
// them, and whom they suspect is looked at again.
func (gs *Groups) TellSick() {
	for i := range gs.steps {
		s := &gs.steps[i]
		if s.Part == nil || s.Have == nil || s.Surplus || !gs.DoesTheWork(s.Key, s.Part.Member) {
			continue
		}
		found := gs.Sick[s.Part.Member]
		s.Unanswering = found.Sure && s.Have.Down == ""
		if s.Works, s.Sick = true, found.Sick; found.Suspect {
			s.Settles = &plan.Settling{}
		}
	}
}
