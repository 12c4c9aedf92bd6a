package plan

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// These methods derive facts from a step for packages that show the state of its object, such as package status.

// Obstacle says why an object that a manifest only imports or refers to cannot be used.
type Obstacle string

// The obstacles.
const (
	NotYet    Obstacle = "not yet"   // the object does not exist or cannot be used yet. Each pass checks it again.
	Never     Obstacle = "never"     // the cloud has no object with the ID in the manifest.
	Ambiguous Obstacle = "ambiguous" // several objects match the manifest.
)

// Broken reports whether the cloud shows the object as failed.
func (s Step) Broken() bool { return s.Have != nil && s.Have.Phase == kind.Failed }

// Suspended reports whether nothing is done because the object is suspended, or because it was a part of a suspended object.
func (s Step) Suspended() bool {
	return s.Action == Keep && (s.OfSuspended || s.Want != nil && s.Want.Options.Suspend)
}

// AwaitsCloud reports whether the cloud is working on the object. A step that waits for a value of a store does not await the cloud.
func (s Step) AwaitsCloud() bool {
	return s.Action == Wait && s.Have != nil && (s.Want == nil || s.Want.Unread == nil)
}

// Outdated reports whether the object differs from Git and is not changed now on purpose (see Frozen), for example because of its group's strategy.
// Drift does not count.
func (s Step) Outdated() bool {
	return s.Frozen && !s.Drift && (len(s.Uncounted) > 0 || s.Have == nil || s.Want == nil)
}

// Overdue says why upkeep that is due is not carried out; "" if none is overdue.
func (s Step) Overdue() string {
	if s.Upkeep == nil {
		return ""
	}
	return s.Upkeep.Overdue
}

// LiveName returns the name that the Blockers of other steps use for the object; "" if the object does not exist.
func (s Step) LiveName() string {
	if s.Have == nil {
		return ""
	}
	return s.Secrets.Text(LiveText(s.Key.Kind, s.Have))
}

// Known returns the changes of a step. For an adoption it leaves out fields that the cloud does not show, because the step only records the
// values of such fields.
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

// Lock says why the cloud refuses changes of the object until somebody unlocks it; "" if it is not locked.
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
