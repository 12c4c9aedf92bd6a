package plan

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// What is told here of a step is derived from it for those who show how its object stands (see package status).

// Obstacle is why an object that a manifest only refers to cannot be used.
type Obstacle string

// The obstacles.
const (
	NotYet    Obstacle = "not yet"   // not there, or not well: each pass looks again
	Never     Obstacle = "never"     // the cloud has nothing of the ID that the manifest says
	Ambiguous Obstacle = "ambiguous" // the manifest means several
)

// Obstacle is that of the step; "" where nothing is in the way.
func (s Step) Obstacle() Obstacle { return s.obstacle }

// Broken reports whether the cloud shows the object as failed.
func (s Step) Broken() bool { return s.have != nil && s.have.Phase == kind.Failed }

// Suspended reports whether nothing is done about the object because it, or what it was a part of, is suspended.
func (s Step) Suspended() bool {
	return s.Action == Keep && (s.ofSuspended || s.want != nil && s.want.Options.Suspend)
}

// Outdated reports whether the object is not as wanted because its group leaves it so.
func (s Step) Outdated() bool {
	return s.left && !s.Drift && (len(s.aside) > 0 || s.have == nil || s.want == nil)
}

// Aside are the differences of an object that is suspended, or left as it is by its group: they are counted nowhere.
func (s Step) Aside() []kind.Change { return s.aside }

// Crowded says with which objects it shares a host that are to be kept apart from it; "" for none.
func (s Step) Crowded() string { return s.crowded }

// Overdue is why what time made due is not done; "" where nothing is missing.
func (s Step) Overdue() string {
	if s.upkeep == nil {
		return ""
	}
	return s.upkeep.Overdue
}

// LiveName is what the object is called where steps name it among their Blockers; "" when there is none.
func (s Step) LiveName() string {
	if s.have == nil {
		return ""
	}
	return s.secrets.Text(liveText(s.Key.Kind, s.have))
}

// Secrets takes out of texts what must not be shown of the plan.
func (p Plan) Secrets() *redact.Redactor { return p.secrets }
