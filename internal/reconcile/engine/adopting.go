package engine

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// adopting are the places of which everything is asked for, since an object that no stack
// owns may be taken over: its plan compares all of it. What was adopted already is listed
// like any other object, although its manifest may go on asking for it.
func (e *Engine) adopting(want []kind.Desired) map[place]bool {
	places := map[place]bool{}
	for i := range want {
		if d := &want[i]; d.Import != nil && !d.Unmanaged && !e.adopted[d.Key.String()] {
			places[place{d.Key.Kind, d.Entry}] = true
		}
	}
	return places
}

// noteAdopted remembers which of the objects that manifests ask to adopt bear their mark.
// Only an engine that carries out passes remembers.
func (e *Engine) noteAdopted(p plan.Plan) {
	e.adopted = map[string]bool{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Want() != nil && s.Want().Import != nil && s.Have() != nil && s.Have().Mark != nil && !s.Adopts && !s.Surplus() {
			e.adopted[s.Identity()] = true
		}
	}
}
