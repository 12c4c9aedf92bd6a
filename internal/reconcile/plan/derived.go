package plan

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
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

// Broken reports whether the cloud shows the object as failed.
func (s Step) Broken() bool { return s.Have != nil && s.Have.Phase == kind.Failed }

// Suspended reports whether nothing is done about the object because it, or what it was a part of, is suspended.
func (s Step) Suspended() bool {
	return s.Action == Keep && (s.OfSuspended || s.Want != nil && s.Want.Options.Suspend)
}

// Outdated reports whether the object is not as wanted because its group leaves it so.
func (s Step) Outdated() bool {
	return s.Frozen && !s.Drift && (len(s.Aside) > 0 || s.Have == nil || s.Want == nil)
}

// Overdue is why what time made due is not done; "" where nothing is missing.
func (s Step) Overdue() string {
	if s.Upkeep == nil {
		return ""
	}
	return s.Upkeep.Overdue
}

// LiveName is what the object is called where steps name it among their Blockers; "" when there is none.
func (s Step) LiveName() string {
	if s.Have == nil {
		return ""
	}
	return s.Secrets.Text(LiveText(s.Key.Kind, s.Have))
}

// Known are the changes of a step without, of an adoption, what the cloud does not show: that is only written down, and nothing changes
// by it.
func (s Step) Known() []kind.Change {
	if !s.Adopts {
		return s.Changes
	}
	return slices.DeleteFunc(slices.Clone(s.Changes), func(c kind.Change) bool { return c.Have == kind.Unknown })
}

// OnlyNoted reports whether an adoption leaves the object as it is: only its mark is added.
func (s Step) OnlyNoted() bool {
	return s.Adopts && s.Action == Update && !slices.ContainsFunc(s.Known(), func(c kind.Change) bool { return c.Field != kind.MarkField })
}

// Lock says why the cloud refuses changes of the object until somebody unlocks it; "" where it does not.
func (s Step) Lock() string {
	if s.Have == nil {
		return ""
	}
	return s.Have.Locked
}

// LiveText is how people call an object of the cloud: by its kind, and its name there or, where it has none, its ID.
func LiveText(of string, l *kind.Live) string {
	return manifest.Key{Kind: of, Name: cmp.Or(l.Name, l.ID)}.String()
}
