package engine

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
)

// adopting are the places of which everything is asked for, since an object that no stack
// owns may be taken over: its plan compares all of it. What was adopted already is listed
// like any other object, although its manifest may go on asking for it.
func (e *Engine) adopting(want []kind.Desired) map[memory.Place]bool {
	places := map[memory.Place]bool{}
	for i := range want {
		if d := &want[i]; d.Import != nil && !d.Unmanaged && !e.past().Adopted(d.Key.String()) {
			places[memory.Place{Kind: d.Key.Kind, Entry: d.Entry}] = true
		}
	}
	return places
}
