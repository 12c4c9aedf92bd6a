package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// keeper is an object, such as a server group, that keeps other objects on different hosts: at most perHost of them may share a host. hard
// is false if more may share one when there are too few hosts.
type keeper struct {
	step    *plan.Step
	perHost int
	hard    bool
}

// markCrowded sets Crowded of the objects that share a host with more other objects than their keeper allows. A scheduler that places
// several machines at the same time does not always notice this. The agent changes nothing, because people decide whether it is worth
// interrupting a machine.
//
// If hard is false, the keeper only gets a note, and Crowded is not set.
func (p *planner) markCrowded() {
	keepers := p.keepers()
	if len(keepers) == 0 {
		return
	}
	members := map[manifest.Key][]*plan.Step{}
	for i := range p.steps {
		s := &p.steps[i]
		if s.Want == nil || s.Have == nil || s.Surplus || s.Action == plan.Recreate || s.Outdated() {
			continue // the object does not match its manifest yet
		}
		for _, ref := range s.Want.Refs {
			list := members[ref.Key]
			if seen := len(list) > 0 && list[len(list)-1] == s; keepers[ref.Key].perHost > 0 && !seen {
				members[ref.Key] = append(list, s)
			}
		}
	}
	for key, list := range members {
		of := keepers[key]
		for _, crowd := range crowds(list, of.perHost) {
			if !of.hard {
				of.step.Notes = append(slices.Clip(of.step.Notes), kind.Note{Field: "spec.resource.policy", Text: "is followed as far as there are enough hosts: " + crowdNames(crowd) + " run on the same host"})
				continue
			}
			for i, s := range crowd {
				s.Crowded = fmt.Sprintf("runs on the same host as %s, although %s requires different hosts; delete one of the two in the cloud; the agent then creates it again on another host",
					crowd[(i+1)%len(crowd)].Key, key)
			}
		}
	}
}

// keepers returns the objects, including imports, that keep other objects on different hosts.
func (p *planner) keepers() map[manifest.Key]keeper {
	keepers := map[manifest.Key]keeper{}
	for i := range p.steps {
		s := &p.steps[i]
		of := p.KindOf[s.Key.Kind]
		if of == nil || of.PerHost == nil || s.Want == nil || s.Have == nil {
			continue
		}
		k := keeper{step: s}
		if s.Unmanaged() {
			k.perHost, k.hard = of.PerHostOf(s.Have.State)
		} else {
			k.perHost, k.hard = of.PerHost(s.View())
		}
		if k.perHost > 0 {
			keepers[s.Key] = k
		}
	}
	return keepers
}

// crowdNames names the first few of a crowd.
func crowdNames(crowd []*plan.Step) string {
	const most = 4
	var names []string
	for _, s := range crowd[:min(most, len(crowd))] {
		names = append(names, s.Key.String())
	}
	text := strings.Join(names, ", ")
	if more := len(crowd) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// crowds returns, for each host with more than perHost of the objects, the list of these objects.
func crowds(list []*plan.Step, perHost int) (out [][]*plan.Step) {
	on := map[string][]*plan.Step{}
	for _, s := range list {
		if s.Have.HostID != "" {
			on[s.Have.HostID] = append(on[s.Have.HostID], s)
		}
	}
	for _, host := range slices.Sorted(maps.Keys(on)) {
		if len(on[host]) > perHost {
			out = append(out, on[host])
		}
	}
	return out
}
