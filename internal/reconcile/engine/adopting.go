package engine

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
)

// adopting returns the places that are listed completely, because a manifest there asks
// to adopt an object that no stack owns. The plan compares every field of such an
// object. An object that was adopted already is listed like any other, even if its
// manifest still asks for adoption.
func (e *Engine) adopting(want []kind.Desired) map[memory.Place]bool {
	places := map[memory.Place]bool{}
	for i := range want {
		if d := &want[i]; d.Import != nil && !d.Unmanaged && !e.past().Adopted(d.Key.String()) {
			places[memory.Place{Kind: d.Key.Kind, Entry: d.Entry}] = true
		}
	}
	return places
}
