package member

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A machine that is being built has no start time yet, and counts as one that boots. After its start it has a limited time to answer.
func TestAMachineThatBoots(t *testing.T) {
	for name, c := range map[string]struct {
		phase kind.Phase
		age   time.Duration // since its start; 0 means that it never started
		want  bool
	}{
		"being built": {kind.Pending, 0, true},
		"new":         {kind.Ready, time.Minute, true},
		"old":         {kind.Ready, time.Hour, false},
		"rebooting":   {kind.Pending, time.Hour, false},
		"no start":    {kind.Ready, 0, false},
	} {
		server := &kind.Live{ID: "x", Phase: c.phase}
		if c.age > 0 {
			server.Since = time.Now().Add(-c.age)
		}
		if got := hostOf(server, 10*time.Minute).Boots; got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
