package world

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Named is the object that a managed manifest wants to adopt, if it is there.
func (w *World) Named(d *kind.Desired) *kind.Live {
	if d.Unmanaged || d.Import == nil || d.Import.ID == "" {
		return nil
	}
	return w.Cloud.Of(d.Key.Kind).Find(d.Import.ID, d.Entry)
}
