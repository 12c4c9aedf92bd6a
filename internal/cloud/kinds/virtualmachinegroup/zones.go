package virtualmachinegroup

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// IsolationGroup is a part of the machines that is in one zone. The names of its fields are from m3db-operator
// (m3db-operator pkg/apis/m3dboperator/v1alpha1/cluster.go).
type IsolationGroup struct {
	Name         string `json:"name" rule:"required,format=label" doc:"Name of the isolation group. The machines have it as metadata isolationGroup, unless the template's metadata has another value there."`
	Zone         string `json:"zone,omitempty" doc:"Its availability zone, or a name that the stack's defaults.zones maps to one; the cloud decides if left out."`
	Members      *int   `json:"members,omitempty" rule:"min=0,max=1000" doc:"How many machines are in it."`
	NumInstances *int   `json:"numInstances,omitempty" rule:"min=0,max=1000" doc:"The same as members, with the name that m3db-operator uses."`
}

// groupKey is a key of a machine's metadata. Its value is the name of the machine's isolation group.
const groupKey = "isolationGroup"

func (g *IsolationGroup) members() int { return table.Or(g.Members, table.Or(g.NumInstances, 0)) }

// validateZones reports errors in the declared zones and isolation groups.
func (s *Spec) validateZones(r *kind.Report) {
	const zones, groups = "spec.zones", "spec.isolationGroups"
	if s.Template.Zone != "" && s.zones() > 0 {
		r.Problem("spec.template.zone", "is given together with zones or isolationGroups, which say where each machine is", "keep one of them")
	}
	if len(s.Zones) > 0 && len(s.IsolationGroups) > 0 {
		r.Problem(zones, "is given together with isolationGroups", "keep one of them")
	}
	seen := map[string]bool{}
	for i := range s.IsolationGroups {
		g, field := &s.IsolationGroups[i], fmt.Sprintf("%s[%d]", groups, i)
		if seen[g.Name] {
			r.Problem(field+".name", g.Name+" is given already", "give each of them only once")
		}
		if seen[g.Name] = true; (g.Members == nil) == (g.NumInstances == nil) {
			r.Problem(field+".members", "is missing, or given along with numInstances", "give the number of machines in one of the two fields")
		}
	}
	switch sum := s.machines(); {
	case len(s.IsolationGroups) == 0:
	case sum > maxMachines:
		r.Problem(groups, fmt.Sprintf("add up to %d machines", sum), fmt.Sprintf("a group has at most %d", maxMachines))
	case s.Replicas != nil && *s.Replicas != sum:
		r.Problem("spec.replicas", fmt.Sprintf("is %d, and isolationGroups add up to %d", *s.Replicas, sum), "use the same number, or remove replicas")
	}
}

// maxMachines is the maximal number of machines in a group.
const maxMachines = 1000

// machines is the maximal number of machines, without spare ones.
func (s *Spec) machines() (n int) {
	if len(s.IsolationGroups) == 0 {
		return table.Or(s.MaxReplicas, table.Or(s.Replicas, 1))
	}
	for i := range s.IsolationGroups {
		n += s.IsolationGroups[i].members()
	}
	return n
}

// zones is the number of zones or isolation groups over which the machines are spread; 0 if there are none.
func (s *Spec) zones() int { return max(len(s.Zones), len(s.IsolationGroups)) }

// places returns the numbers of the machines, in ascending order. in has the index of the zone or isolation group of
// each machine. The numbers in hinted are omitted.
func (s *Spec) places(hinted map[int]bool) (numbers, in []int) {
	if len(s.IsolationGroups) == 0 {
		return machine.Places(max(1, len(s.Zones)), s.machines(), hinted)
	}
	room := make([]int, len(s.IsolationGroups))
	for i := range room {
		room[i] = s.IsolationGroups[i].members()
	}
	return machine.PlacesIn(room, hinted)
}

// beside returns the index of the zone or isolation group for each spare machine. The spare machines are spread over
// the zones or groups that have machines.
func (s *Spec) beside(count int) []int {
	var open []int
	for zone := range max(1, s.zones()) {
		if len(s.IsolationGroups) == 0 || s.IsolationGroups[zone].members() > 0 {
			open = append(open, zone)
		}
	}
	if len(open) == 0 {
		return make([]int, count)
	}
	in := machine.Spread(len(open), count)
	for i, zone := range in {
		in[i] = open[zone]
	}
	return in
}

// bodies returns one body of a machine for each zone or isolation group. If there are none, it returns one body.
func (s *Spec) bodies(m one) (list []any) {
	for _, zone := range s.Zones {
		m.Zone = zone
		list = append(list, body{m})
	}
	for _, g := range s.IsolationGroups {
		m.Zone, m.Metadata = g.Zone, map[string]string{groupKey: g.Name}
		maps.Copy(m.Metadata, s.Template.Metadata)
		list = append(list, body{m})
	}
	if list == nil {
		list = []any{body{m}}
	}
	return list
}

// one is the spec of a machine of the group.
type one struct {
	machine.Template
	ServerGroup string `json:"serverGroup,omitempty"`
}

// noteUneven notes that removal hints leave some zones with fewer machines.
func (s *Spec) noteUneven(in []int, e *kind.Expansion) {
	if len(s.Zones) == 0 {
		return
	}
	count := make([]int, len(s.Zones))
	for _, zone := range in {
		count[zone]++
	}
	if most, least := slices.Max(count), slices.Min(count); most > least+1 {
		e.Note("spec.removalHints", fmt.Sprintf("result in %d machines in one zone and %d in another, because existing machines keep their zones", most, least))
	}
}
