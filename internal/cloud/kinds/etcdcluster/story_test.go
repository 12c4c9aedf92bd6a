package etcdcluster_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdquorum"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// One member begins a cluster, and the others join one at a time. The cluster grows, shrinks and ends.
func TestAClusterGrowsAndShrinks(t *testing.T) {
	w := newWorld(t)
	for _, size := range []int{3, 5, 3, 1} {
		w.MustSync(sized(size))
		w.settled(size)
		if pass := w.MustSync(sized(size)); len(pass.Results) > 0 {
			t.Errorf("size %d: a second pass does %v", size, pass.Results[0].Step)
		}
	}
	w.MustSync("")
}

// The published manifest becomes a cluster without changes.
func TestThePublishedManifest(t *testing.T) {
	w := newWorld(t)
	w.MustSync(read(t, "etcdcluster.yaml"))
	w.settled(3)
}

// read returns a published manifest.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// If a machine's disk is lost, its member is removed first, and then the machine joins again.
func TestADiskIsLost(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	for _, m := range w.look() {
		w.Wipe(m.Disk)
		break
	}
	pass := w.MustSync(sized(3))
	w.settled(3)
	var did []string
	for _, r := range pass.Results {
		did = append(did, string(r.Step.Action)+" "+r.Step.Key.Kind)
	}
	if got := strings.Join(did, ", "); !strings.HasPrefix(got, "replace EtcdMember, create EtcdMember, update EtcdMember") {
		t.Errorf("the pass did %s", got)
	}
}

// If most disks are lost, the agent changes nothing and never begins the cluster again.
func TestTheMajorityIsLost(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	wiped := 0
	for _, m := range w.look() {
		if wiped++; wiped <= 2 {
			w.Wipe(m.Disk)
		}
	}
	pass := w.Sync(sized(3))
	if len(pass.Results) > 0 {
		t.Errorf("the pass did %v", pass.Results[0].Step)
	}
	told := 0
	for _, s := range pass.Last.Steps {
		if s.Key.Kind == "EtcdMember" && strings.Contains(s.ShortCause(), "no majority") {
			told++
		}
	}
	if told != 3 {
		t.Errorf("%d members say that there is no majority", told)
	}
	for _, sin := range w.Sins() {
		t.Error(sin)
	}
}

// If all disks are lost, the agent does not begin the cluster again as an empty one.
func TestAllDisksAreLost(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	for _, m := range w.look() {
		w.Wipe(m.Disk)
	}
	pass := w.Sync(sized(3))
	if names := w.Members(); len(names) > 0 || len(pass.Results) > 0 {
		t.Errorf("members are %q; the pass did %v", names, pass.Results)
	}
	if s := pass.Last.Steps; !slices.ContainsFunc(s, func(s plan.Step) bool {
		return s.Key.Kind == "EtcdMember" && s.Have != nil && s.Have.Down == "blank" && strings.Contains(s.Have.Message, "port unset")
	}) {
		t.Errorf("nothing says that all data is lost: %v", s)
	}
}

// For a new version, the machines are replaced one at a time, and the members' data remains.
func TestAnUpgradeOfOneMachineAtATime(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	w.armed()
	elections := w.Elections()
	pass := w.MustSync(strings.Replace(sized(3), "3.5.35", "3.6.16", 1))
	w.settled(3)
	servers := 0
	for _, r := range pass.Results {
		switch {
		case r.Step.Key.Kind == "EtcdMember" && (r.Step.Action != plan.Update || servers < 2):
			t.Errorf("the membership changes after %d machines: %s", servers, r.Step.Action)
		case r.Step.Key.Kind == "Server" && r.Step.Action == plan.Create:
			servers++
		}
	}
	if servers != 3 || w.fewest < 2 {
		t.Errorf("%d machines were made, at some moment %d of 3 ran; want 3, and at least 2", servers, w.fewest)
	}
	if n := w.Elections() - elections; n > 0 {
		t.Errorf("the members had to find another leader %d times: the last machine to go is the leader's, after it has handed over", n)
	}
}

// While members report an alarm, no machine is changed. Afterwards all machines are changed.
func TestAnUpgradeWaitsForAnAlarmToEnd(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(3))
	w.armed()
	w.Alarm("memberID:7 alarm:NOSPACE ")
	newer := strings.Replace(sized(3), "3.5.35", "3.6.16", 1)
	if pass := w.Sync(newer); len(pass.Results) > 0 || w.fewest < 3 {
		t.Errorf("the pass did %v; %d machines ran", pass.Results, w.fewest)
	}
	w.Alarm("")
	w.MustSync(newer)
	w.settled(3)
}

// No machine is replaced if the wanted version must not follow the running version.
func TestVersionsThatDoNotFollow(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	for _, c := range []struct {
		runs, wanted string
		breaks       etcdquorum.Rule
	}{
		{"3.5.35", "3.7.3", etcdquorum.OneMinorAtATime},
		{"3.5.35", "3.4.23", etcdquorum.NeverBack},
		{"3.5.9", "3.6.16", etcdquorum.NewEnough},
	} {
		t.Run(c.runs+" to "+c.wanted, func(t *testing.T) {
			w := newWorld(t)
			at := func(version string) string { return strings.Replace(sized(3), "3.5.35", version, 1) }
			w.MustSync(at(c.runs))
			w.armed()
			pass := w.Sync(at(c.wanted))
			told := 0
			for _, s := range pass.Last.Steps {
				if s.Key.Kind == "Server" && slices.ContainsFunc([]string{"kv-0", "kv-1", "kv-2"}, func(machine string) bool {
					verdict := etcdquorum.Verdict{Rule: c.breaks, Machine: machine, Runs: c.runs, Wanted: c.wanted}
					return slices.ContainsFunc(s.Causes, func(why cause.Cause) bool { return why.Code == cause.LeftFor && why.Names(verdict.String()) })
				}) {
					told++
				}
			}
			if told != 3 || len(pass.Results) > 0 || w.fewest < 3 {
				t.Errorf("%d servers say so; the pass did %v; %d machines ran", told, pass.Results, w.fewest)
			}
			w.MustSync(at(c.runs))
			w.settled(3)
		})
	}
}

// dies runs an agent that dies at its n-th write request to etcd. It reports whether the agent sent that many.
func (w *world) dies(manifests string, n int) (died bool) {
	ctx, die := context.WithCancel(w.t.Context())
	defer die()
	w.OnRequest(func() {
		if n--; n == 0 {
			died = true
			die()
		}
	})
	defer w.OnRequest(nil)
	w.Engine(w.Client(nil)).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(manifests)})
	return died
}

// An agent dies at each request to etcd. The next agent knows nothing of it, and ends with the same members.
func TestAgentsDieAtEachRequestToEtcd(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	w := newWorld(t)
	for _, sizes := range [][2]int{{1, 3}, {3, 1}} {
		for n := 1; ; n++ {
			w.MustSync(sized(sizes[0]))
			died := w.dies(sized(sizes[1]), n)
			w.MustSync(sized(sizes[1]))
			w.settled(sizes[1])
			if !died {
				break
			}
		}
	}
}

// An agent dies at each request to the cloud while a cluster grows.
func TestAgentsDieAtEachRequestToTheCloud(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	w := newWorld(t)
	w.MustSync(sized(1))
	for n := 1; w.SyncUntilKilled(sized(3), n); n++ {
		w.MustSync(sized(3))
		w.settled(3)
		w.MustSync(sized(1))
		w.settled(1)
	}
}

// All disks and all machines are lost, so only the ports exist. The agent does not begin an empty cluster in place of
// the old one.
func TestAllMachinesAndDisksAreLost(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	for _, m := range w.look() {
		w.Wipe(m.Disk)
	}
	for n := range 3 {
		w.remove("servers", fmt.Sprintf("kv-%d", n))
	}
	for range 2 {
		pass := w.Sync(sized(3))
		if names := w.Members(); len(names) > 0 {
			t.Fatalf("members are %q; the pass did %v", names, pass.Results)
		}
	}
	if n := len(w.look()); n != 3 {
		t.Errorf("there are %d machines", n)
	}
}

// A member that no port records, and whose address has no port, is removed, because otherwise no other member could be
// added.
func TestALearnerThatNeverCame(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1))
	w.Invite("192.0.2.7")
	w.MustSync(sized(3))
	w.settled(3)
}

// A deleted port is created again with another address. Its machine becomes another member.
func TestAPortWithAnotherAddress(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	w.remove("servers", "kv-1")
	w.remove("ports", "kv-1")
	w.MustSync(sized(3))
	w.settled(3)
}

// An agent dies at each request to etcd while a cluster grows. Then the manifest declares only one member again.
func TestAgentsDieAndNobodyWantsMore(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	w := newWorld(t)
	for n := 1; ; n++ {
		w.MustSync(sized(1))
		w.settled(1)
		if !w.dies(sized(3), n) {
			break
		}
	}
}

// While a cluster is paused, nothing is changed. Not even members that the same commit removes from the cluster are
// deleted.
func TestPausedWithFewerMembers(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(5))
	planned := w.Plan(sized(3, "paused: true"))
	kept := 0
	for _, s := range planned.Steps {
		if s.Action.Writes() {
			t.Errorf("it would %s %s", s.Action, s.Key)
		}
		if s.Causes.Has(cause.PartOfSuspended) {
			kept++
		}
	}
	if kept < 6 { // members, servers and ports
		t.Errorf("%d parts say that the cluster is suspended", kept)
	}
	w.Sync(sized(3, "paused: true"))
	w.settled(5)
	w.MustSync(sized(3))
	w.settled(3)
}

// A cluster whose manifest was removed is created again, with its volumes, but with new ports. Its data belongs to
// members at other addresses, so no etcd answers, and the agent does not begin a cluster. It begins one when machines
// and volumes are deleted.
func TestAClusterComesBackUnderItsName(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(3))
	old := w.addresses()
	kept := 0
	for _, s := range w.Plan("").Steps {
		if s.Key.Kind == "Volume" && s.Action == plan.Keep && s.Causes.Has(cause.LeftAsAsked) {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("the plan says of %d volumes that they stay", kept)
	}
	w.MustSync("")
	for range 10 {
		if w.carried(sized(3)); len(w.look()) == 3 {
			break
		}
	}
	w.address(map[string]string{"kv-0": old["kv-1"], "kv-1": old["kv-2"], "kv-2": old["kv-0"]}) // each port gets the address of another member, which does not help
	w.carried(sized(3))
	for _, s := range w.Plan(sized(3)).Steps {
		if s.Key.Kind == "EtcdMember" && (s.Have == nil || s.Have.Phase != kind.Pending) {
			t.Errorf("%s says %s", s.Key, s.ShortCause())
		}
	}
	for _, m := range w.look() {
		w.Wipe(m.Disk) // as after a deletion of machines and volumes
	}
	w.MustSync(sized(3))
	if names := w.Members(); len(names) != 3 {
		t.Errorf("the members are %q", names)
	}
}

// carried runs an agent for three seconds, because its pass would retry forever.
func (w *world) carried(manifests string) {
	w.t.Helper()
	w.carriedBy(w.Engine(w.client), manifests)
}

func (w *world) carriedBy(agent *engine.Engine, manifests string) engine.Pass {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), 3*time.Second)
	defer stop()
	return agent.Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(manifests)})
}
