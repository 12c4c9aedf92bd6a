package world

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// AdoptedByID returns the object that a managed manifest adopts by its ID; nil if it does not exist.
func (w *World) AdoptedByID(d *kind.Desired) *kind.Live {
	if d.Unmanaged || d.Import == nil || d.Import.ID == "" {
		return nil
	}
	return w.Cloud.Collection(d.Key.Kind).Find(d.Import.ID, d.Entry)
}

// FormerOwners returns the owner texts that d had under its former names.
func (w *World) FormerOwners(d *kind.Desired) []string { return formerOwners(w.Stack, d) }
