package engine

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
)

// adopting returns the places ([memory.Place]) where a manifest asks to adopt an object that no
// stack owns. They are listed completely, because the plan compares every field of such an object.
// Once the object is adopted, its place is listed normally, even if the manifest still asks for
// adoption.
func (e *Engine) adopting(want []kind.Desired) map[memory.Place]bool {
	places := map[memory.Place]bool{}
	for i := range want {
		if d := &want[i]; d.Import != nil && !d.Unmanaged && !e.past().Adopted(d.Key.String()) {
			places[memory.Place{Kind: d.Key.Kind, Entry: d.Entry}] = true
		}
	}
	return places
}
