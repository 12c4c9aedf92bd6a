package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// tellLocked says of every step that writes to a locked object that the cloud will refuse it.
func (p *planner) tellLocked() {
	for i := range p.steps {
		s := &p.steps[i]
		if lock := s.lock(); lock != "" && s.Action.Writes() {
			s.Notes = append(slices.Clip(s.Notes), kind.Note{Field: "locked", Text: lock})
		}
	}
}

// lock says why the cloud refuses changes of the object until somebody unlocks it; "" where it does not.
func (s Step) lock() string {
	if s.have == nil {
		return ""
	}
	return s.have.Locked
}
