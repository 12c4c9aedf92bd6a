package m3dbcluster

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// Summarize is a cluster's status in the words of m3db-operator. (pkg/apis/m3dboperator/v1alpha1/cluster.go: M3DBStatus)
func (rules) Summarize(s *Spec, parts []kind.PartStatus) map[string]any {
	ready, moving, failure, reason, placed := 0, 0, "", "", 0
	all := 0
	for _, p := range parts {
		if p.Kind != "M3DBInstance" {
			continue
		}
		all++
		shown, _ := p.Resource.(map[string]any)
		if why, _ := shown["clusterFailure"].(string); why != "" {
			failure = why
		}
		if why, _ := shown["machineFailure"].(string); why != "" {
			reason = p.Name + ": " + why
		}
		switch state, _ := shown["state"].(string); {
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
	case failure != "":
		state, message = "red", failure
	case placed == 0:
		state, message = "yellow", "the placement has not begun"
	case all-ready-moving > s.replicas()/2:
		state, message = "red", "too many instances do not serve: shards have no majority of their replicas"
	case ready < all:
		state, message = "yellow", "instances take their shards, or do not serve"
	}
	if reason != "" && failure == "" {
		message = reason
	}
	own := map[string]any{"state": state, "instances": all, "readyInstances": ready, "conditions": []any{
		condition("PlacementInitialized", placed > 0), condition("PodBootstrapping", moving > 0)}}
	if message != "" {
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
