package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A crowd is a list of more objects on one host than are allowed. Objects whose hosts are unknown
// are no crowd.
func TestCrowds(t *testing.T) {
	for _, tt := range []struct {
		hosts           string // one letter for the host of each object; - is an unknown host
		perHost, crowds int
	}{{"", 1, 0}, {"a", 1, 0}, {"ab", 1, 0}, {"aa", 1, 1}, {"aa", 2, 0}, {"aaab", 2, 1}, {"aabb", 1, 2}, {"--", 1, 0}} {
		var list []*plan.Step
		for _, host := range tt.hosts {
			live := &kind.Live{HostID: string(host)}
			if host == '-' {
				live.HostID = ""
			}
			list = append(list, &plan.Step{Object: plan.Object{Have: live}})
		}
		if found := crowds(list, tt.perHost); len(found) != tt.crowds {
			t.Errorf("%s, %d on a host: %d crowds, want %d", tt.hosts, tt.perHost, len(found), tt.crowds)
		}
	}
}
