package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// noteLocked adds a note to every step that writes to a locked object, because the cloud will
// refuse the request.
func (p *planner) noteLocked() {
	for i := range p.steps {
		s := &p.steps[i]
		if lock := s.Lock(); lock != "" && s.Action.Writes() {
			s.Notes = append(slices.Clip(s.Notes), kind.Note{Field: "locked", Text: lock})
		}
	}
}

// noteForecasts adds to each group whose members are changed in turns a note that describes the
// change.
func (p *planner) noteForecasts(of map[manifest.Key]string) {
	for i := range p.workloads {
		if text, changes := of[p.workloads[i].Key]; changes {
			p.workloads[i].Notes = append(slices.Clone(p.workloads[i].Notes), kind.Note{Field: "rollout", Text: text})
		}
	}
}
