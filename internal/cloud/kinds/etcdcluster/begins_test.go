package etcdcluster_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// whyOf returns the causes that the plan shows for the members.
func (w *world) whyOf(manifests string) (all []string) {
	w.t.Helper()
	for _, s := range w.Plan(manifests).Steps {
		if s.Key.Kind == "EtcdMember" {
			all = append(all, s.ShortCause())
		}
	}
	return all
}

// If machines cannot start etcd, they report why, and the members' status shows it. The cluster starts when they can.
func TestMachinesSayWhyTheyCannotBegin(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	const why = "https://mirror.example.org/3.5.35/etcd cannot be downloaded: HTTP Error 404: Not Found"
	w := newWorld(t)
	w.Fail(why)
	w.carried(sized(3))
	all := w.whyOf(sized(3))
	if len(all) != 3 {
		t.Errorf("%d members are in the plan", len(all))
	}
	for _, said := range all {
		if !strings.Contains(said, why) {
			t.Errorf("a member says %q", said)
		}
	}
	w.Fail("")
	w.MustSync(sized(3))
	w.Fail("no space left on device")
	for _, s := range w.Plan(sized(3)).Steps {
		if s.Key.Kind == "EtcdMember" && (s.Action.Writes() || !strings.Contains(s.ShortCause(), "no space left")) {
			t.Errorf("%s: %s: %s", s.Action, s.Key, s.ShortCause())
		}
	}
	w.Fail("")
	w.settled(3)
}

// If the first machine of a cluster repeatedly fails to start, the plan does not report that somebody deleted the
// cluster.
func TestAClusterThatBeginsInVainIsDeletedByNobody(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.Forgets(true)
	agent := w.Engine(w.client)
	for range 2 {
		pass := w.carriedBy(agent, sized(3))
		if pass.Drifted() > 0 {
			t.Errorf("%d objects have drifted", pass.Drifted())
		}
		for _, s := range pass.Last.Steps {
			if s.Key.Kind == "EtcdMember" && s.Lost != "" {
				t.Errorf("%s: %s is taken to have been deleted", s.Key, s.Lost)
			}
		}
	}
	w.Forgets(false)
	w.MustSync(sized(3))
	w.settled(3)
}

// A published manifest needs only the stack's configuration to become a cluster. Without a volume, the machines store
// their data on their own disks.
func TestThePublishedManifestWithoutStorage(t *testing.T) {
	w := newWorld(t)
	w.Defaults.Etcd.VolumeSize = 0
	w.MustSync(read(t, "etcdcluster.yaml"))
	w.settled(3)
}
