package member

import (
	"cmp"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The entries of a member's status that say what is wrong with more than itself.
const (
	clusterFailure = "clusterFailure"
	machineFailure = "machineFailure"
)

// Shown is the part of its status that all members have.
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

// Parts are the members of a kind among the parts of a cluster. lost says why the whole cluster does not work; "" when it does, or was never there. why is the
// same, or else why the last machine that says so cannot begin.
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
