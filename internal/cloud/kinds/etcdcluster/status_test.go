package etcdcluster

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func TestPhases(t *testing.T) {
	member := func(available bool, resource map[string]any) kind.PartStatus {
		return kind.PartStatus{Kind: "EtcdMember", Name: "kv", Available: available, Resource: resource}
	}
	voter, silent := map[string]any{"role": "voter"}, map[string]any{"clusterFailure": "lost"}
	for _, c := range []struct {
		parts         []kind.PartStatus
		phase, reason string
	}{
		{[]kind.PartStatus{member(false, nil), member(false, map[string]any{})}, "Creating", ""},
		{[]kind.PartStatus{member(true, voter), member(false, voter), member(false, nil)}, "Failed", ""},
		{[]kind.PartStatus{member(true, voter), member(true, voter), member(false, nil)}, "Running", ""},
		{[]kind.PartStatus{member(false, silent), member(false, silent), member(false, map[string]any{})}, "Failed", "lost"},
		{[]kind.PartStatus{member(false, map[string]any{"machineFailure": "404"}), member(false, nil)}, "Creating", "kv: 404"},
	} {
		own := rules{}.Summarize(&Spec{}, c.parts)
		reason, _ := own["reason"].(string)
		if own["phase"] != c.phase || reason != c.reason {
			t.Errorf("%v: %v because %q, want %s", c.parts, own["phase"], reason, c.phase)
		}
	}
}
