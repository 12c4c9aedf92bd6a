package etcdmember

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A machine that does not answer gets time to boot. After that, the message says what may be the reason.
func TestAMachineThatNeverAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		host member.Host
		long bool // whether the message is that of a machine which has long run
	}{
		"boots":        {member.Host{ID: "x", Boots: true}, false},
		"has long run": {member.Host{ID: "x"}, true},
	} {
		m, l := machine{Machine: member.Machine[Spec]{Host: c.host}}, live{State: &State{}}
		if there := m.stateWithoutCluster(boots, &l); !there || l.Phase != kind.Pending || (l.Message == silentSoFar) != c.long {
			t.Errorf("%s: %t, %v, %s", name, there, l.Phase, l.Message)
		}
	}
}
