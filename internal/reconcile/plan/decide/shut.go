package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// tellLocked says of every step that writes to a locked object that the cloud will refuse it.
func (p *planner) tellLocked() {
	for i := range p.steps {
		s := &p.steps[i]
		if lock := s.Lock(); lock != "" && s.Action.Writes() {
			s.Notes = append(slices.Clip(s.Notes), kind.Note{Field: "locked", Text: lock})
		}
	}
}
