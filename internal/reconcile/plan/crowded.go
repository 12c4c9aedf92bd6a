package plan

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// tellCrowded notes what shares a host with more of its like than the object allows that keeps them apart: a
// scheduler that places several at the same time does not always see it. Nothing is done about it, since to
// interrupt a machine for it is for people to decide.
func (p *planner) tellCrowded() {
	groups, members := map[manifest.Key]int{}, map[manifest.Key][]*Step{}
	for i := range p.steps {
		s := &p.steps[i]
		if apart, ok := p.kinds[s.Key.Kind].(kind.AnyApart); ok && s.want != nil && s.have != nil && !s.Unmanaged() {
			if n := apart.PerHost(s.View()); n > 0 {
				groups[s.Key] = n
			}
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if len(groups) == 0 || s.want == nil || s.have == nil || s.surplus || s.Action == Recreate || s.outdated() {
			continue // not, or not yet, what its manifest says
		}
		for _, ref := range s.want.Refs {
			list := members[ref.Key]
			if seen := len(list) > 0 && list[len(list)-1] == s; groups[ref.Key] > 0 && !seen {
				members[ref.Key] = append(list, s)
			}
		}
	}
	for group, list := range members {
		for _, crowd := range crowds(list, groups[group]) {
			for i, s := range crowd {
				s.crowded = fmt.Sprintf("runs on the same host as %s, and %s keeps them apart: delete one of them in the cloud, and it is made again on another host",
					crowd[(i+1)%len(crowd)].Key, group)
			}
		}
	}
}

// crowds are those that share a host with more than may.
func crowds(list []*Step, perHost int) (out [][]*Step) {
	on := map[string][]*Step{}
	for _, s := range list {
		if s.have.Place != "" {
			on[s.have.Place] = append(on[s.have.Place], s)
		}
	}
	for _, crowd := range on {
		if len(crowd) > perHost {
			out = append(out, crowd)
		}
	}
	return out
}
