package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// tellForecasts notes with the groups whose members take turns what becomes of them.
func (p *planner) tellForecasts(of map[manifest.Key]string) {
	for i := range p.workloads {
		if text, changes := of[p.workloads[i].Key]; changes {
			p.workloads[i].Notes = append(slices.Clone(p.workloads[i].Notes), kind.Note{Field: "rollout", Text: text})
		}
	}
}
