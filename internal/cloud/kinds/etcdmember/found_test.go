package etcdmember

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A machine that does not answer gets time to boot. After that, the message says what may be the reason.
func TestAMachineThatNeverAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		host member.Host
		want string
	}{
		"boots":        {member.Host{ID: "x", Boots: true}, "have booted"},
		"has long run": {member.Host{ID: "x"}, "when it has found a majority; if the cluster was deleted and created again, its data belongs to machines with other addresses"},
	} {
		m, l := machine{Machine: member.Machine[Spec]{Host: c.host}}, live{State: &State{}}
		if there := m.stateWithoutCluster(boots, &l); !there || l.Phase != kind.Pending || !strings.Contains(l.Message, c.want) {
			t.Errorf("%s: %t, %v, %s", name, there, l.Phase, l.Message)
		}
	}
}
