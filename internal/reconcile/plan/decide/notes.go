package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// tellLocked notes on every step that writes to a locked object that the cloud will refuse it.
func (p *planner) tellLocked() {
	for i := range p.steps {
		s := &p.steps[i]
		if lock := s.Lock(); lock != "" && s.Action.Writes() {
			s.Notes = append(slices.Clip(s.Notes), kind.Note{Field: "locked", Text: lock})
		}
	}
}

// tellForecasts notes on each group whose members take turns what will become of them.
func (p *planner) tellForecasts(of map[manifest.Key]string) {
	for i := range p.workloads {
		if text, changes := of[p.workloads[i].Key]; changes {
			p.workloads[i].Notes = append(slices.Clone(p.workloads[i].Notes), kind.Note{Field: "rollout", Text: text})
		}
	}
}
