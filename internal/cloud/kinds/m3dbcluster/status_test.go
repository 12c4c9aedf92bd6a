package m3dbcluster

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func TestStates(t *testing.T) {
	part := func(available bool, resource map[string]any) kind.PartStatus {
		return kind.PartStatus{Kind: "M3DBInstance", Name: "kv", Available: available, Resource: resource}
	}
	there, moving, silent := part(true, map[string]any{"state": "AVAILABLE"}), part(false, map[string]any{"state": "INITIALIZING"}), part(false, map[string]any{"state": "AVAILABLE"})
	lost := part(false, map[string]any{"clusterFailure": "lost"})
	for name, c := range map[string]struct {
		parts []kind.PartStatus
		state string
	}{
		"all":          {[]kind.PartStatus{there, there, there}, "green"},
		"one silent":   {[]kind.PartStatus{there, there, silent}, "yellow"},
		"two silent":   {[]kind.PartStatus{there, silent, silent}, "red"},
		"one moving":   {[]kind.PartStatus{there, there, moving}, "yellow"},
		"not begun":    {[]kind.PartStatus{part(false, nil), part(false, map[string]any{}), part(false, nil)}, "yellow"},
		"etcd is lost": {[]kind.PartStatus{lost, lost, lost}, "red"},
	} {
		if own := (rules{}).Summarize(&Spec{}, c.parts); own["state"] != c.state {
			t.Errorf("%s: %v, want %s", name, own, c.state)
		}
	}
}
