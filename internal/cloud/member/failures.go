package member

import (
	"cmp"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The fields of a member's status that report a failure of its whole cluster, or of its machine.
const (
	clusterFailure = "clusterFailure"
	machineFailure = "machineFailure"
)

// Shown returns the fields that the status of every member has.
func (s *State) Shown() map[string]any {
	shown := map[string]any{"address": s.Address}
	if s.Lost != "" {
		shown[clusterFailure] = s.Lost
	}
	if s.Failure != "" {
		shown[machineFailure] = s.Failure
	}
	return shown
}

// Part is a member, as the status of its cluster sees it.
type Part struct {
	kind.PartStatus
	Shown map[string]any // its own status; nil while there is none
}

// Parts returns the members of a kind among the parts of a cluster. lost is the reason why the whole cluster does not work; "" if it works, or never
// existed. why is lost, or else the last machine that cannot begin, with its reason; "" if there is none.
func Parts(of string, all []kind.PartStatus) (members []Part, lost, why string) {
	for _, p := range all {
		if p.Kind != of {
			continue
		}
		shown, _ := p.Resource.(map[string]any)
		if text, _ := shown[clusterFailure].(string); text != "" {
			lost = text
		}
		if text, _ := shown[machineFailure].(string); text != "" {
			why = p.Name + ": " + text
		}
		members = append(members, Part{p, shown})
	}
	return members, lost, cmp.Or(lost, why)
}
