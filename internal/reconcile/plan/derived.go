package plan

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// These methods derive facts from a step for those who show the state of its object (see package status).

// Obstacle is why an object that a manifest only refers to cannot be used.
type Obstacle string

// The obstacles.
const (
	NotYet    Obstacle = "not yet"   // it does not exist, or is not well: each pass looks again
	Never     Obstacle = "never"     // the cloud has no object with the ID in the manifest
	Ambiguous Obstacle = "ambiguous" // several objects match the manifest
)

// Broken reports whether the cloud shows the object as failed.
func (s Step) Broken() bool { return s.Have != nil && s.Have.Phase == kind.Failed }

// Suspended reports whether nothing is done about the object because it is suspended, or was a part of a suspended one.
func (s Step) Suspended() bool {
	return s.Action == Keep && (s.OfSuspended || s.Want != nil && s.Want.Options.Suspend)
}

// Outdated reports whether the object differs from Git because its group keeps it frozen.
func (s Step) Outdated() bool {
	return s.Frozen && !s.Drift && (len(s.Aside) > 0 || s.Have == nil || s.Want == nil)
}

// Overdue is why upkeep that is due is not done; "" where none is overdue.
func (s Step) Overdue() string {
	if s.Upkeep == nil {
		return ""
	}
	return s.Upkeep.Overdue
}

// LiveName is the name by which the Blockers of other steps name the object; "" when there is none.
func (s Step) LiveName() string {
	if s.Have == nil {
		return ""
	}
	return s.Secrets.Text(LiveText(s.Key.Kind, s.Have))
}

// Known are the changes of a step. For an adoption they leave out fields that the cloud does not show: those are only recorded, and nothing changes.
func (s Step) Known() []kind.Change {
	if !s.Adopts {
		return s.Changes
	}
	return slices.DeleteFunc(slices.Clone(s.Changes), func(c kind.Change) bool { return c.Have == kind.Unknown })
}

// OnlyNoted reports whether an adoption changes nothing but the mark of the object.
func (s Step) OnlyNoted() bool {
	return s.Adopts && s.Action == Update && !slices.ContainsFunc(s.Known(), func(c kind.Change) bool { return c.Field != kind.MarkField })
}

// Lock says why the cloud refuses changes of the object until somebody unlocks it; "" where it is not locked.
func (s Step) Lock() string {
	if s.Have == nil {
		return ""
	}
	return s.Have.Locked
}

// LiveText names an object of the cloud for people: its kind, and its name or, if it has none, its ID.
func LiveText(of string, l *kind.Live) string {
	return manifest.Key{Kind: of, Name: cmp.Or(l.Name, l.ID)}.String()
}
