package m3dbcluster

import (
	"cmp"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Summarize returns the status of a cluster in m3db-operator's terms.
// (pkg/apis/m3dboperator/v1alpha1/cluster.go: M3DBStatus)
func (rules) Summarize(s *Spec, parts []kind.PartStatus) map[string]any {
	ready, moving, placed := 0, 0, 0
	members, lost, reason := member.Parts("M3DBInstance", parts)
	all := len(members)
	for _, p := range members {
		switch state, _ := p.Shown["state"].(string); {
		case state == "":
			continue
		case state != "AVAILABLE":
			moving++
		case p.Available:
			ready++
		}
		placed++
	}
	state, message := "green", ""
	switch {
	case lost != "":
		state = "red"
	case placed == 0:
		state, message = "yellow", "M3DB has not assigned shards to instances yet (it has no placement)"
	case all-ready-moving > s.replicas()/2:
		state, message = "red", "too many instances do not serve: shards have no majority of their replicas"
	case ready < all:
		state, message = "yellow", "some instances still copy their shards, or do not serve"
	}
	own := map[string]any{"state": state, "instances": all, "readyInstances": ready, "conditions": []any{
		condition("PlacementInitialized", placed > 0), condition("PodBootstrapping", moving > 0)}}
	if message = cmp.Or(reason, message); message != "" {
		own["message"] = message
	}
	if s.Frozen {
		own["frozen"] = true
	}
	return own
}

func condition(name string, holds bool) map[string]any {
	status := "False"
	if holds {
		status = "True"
	}
	return map[string]any{"type": name, "status": status}
}
