package m3dbcluster_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// The published manifest becomes a cluster without any edit, with an etcd that is created for it.
func TestThePublishedManifest(t *testing.T) {
	text, err := os.ReadFile("testdata/m3dbcluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.MustSync(string(text))
	w.settled("simple-cluster-0", "simple-cluster-1", "simple-cluster-2")
	if got := w.Namespaces(); !slices.Equal(got, []string{"metrics-10s:2d"}) {
		t.Errorf("the namespaces are %v", got)
	}
	if got := w.etcd.Members(); len(got) != 3 {
		t.Errorf("the members of etcd are %v", got)
	}
	if n := w.Inits(); n != 1 {
		t.Errorf("the placement began %d times", n)
	}
	if pass := w.MustSync(string(text)); len(pass.Results) > 0 {
		t.Errorf("a second pass does %v", pass.Results[0].Step)
	}
	w.MustSync("")
}

// Instances are added and removed one at a time. A machine is created before its instance, and deleted after it.
func TestAClusterGrowsAndShrinks(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2")
	w.MustSync(sized(2, 2, 1))
	if got := w.Instances(); len(got) != 5 {
		t.Errorf("the instances are %v", got)
	}
	w.MustSync(sized(1, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2")
	if n := count(w.look()); n != 3 {
		t.Errorf("%d machines are left", n)
	}
}

// A commit removes instances and changes the remaining machines. The machines are changed one at a time, after those instances have been removed.
func TestShrinkingComesBeforeAnotherVersion(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(2, 1, 1))
	both := strings.Replace(sized(1, 1, 1), "v1.5.0", "v1.4.2", 1)
	planned := w.Plan(both)
	for _, name := range []string{"kv-0", "kv-1", "kv-2"} {
		if text := why(planned, "Server", name); !strings.Contains(text, member.WaitsForLeaving("kv-4")) {
			t.Errorf("%s says %s", name, text)
		}
	}
	left := false
	for _, r := range append(w.Sync(both).Results, w.MustSync(both).Results...) { // a pass deletes only objects that its plan has shown, so a second pass is needed
		switch {
		case r.Step.Key.Kind == "M3DBInstance" && r.Step.Action == plan.Delete:
			left = true
		case r.Step.Key.Kind == "Server" && r.Step.Key.Name != "kv-4" && !left:
			t.Errorf("%s %s comes before the instance has left", r.Step.Action, r.Step.Key)
		}
	}
	w.settled("kv-0", "kv-1", "kv-2")
	kept := strings.Replace(sized(2, 1, 1, "  preventScaleDown: true"), "v1.5.0", "v1.4.2", 1)
	w.MustSync(kept)
	if text := why(w.Plan(strings.Replace(sized(1, 1, 1, "  preventScaleDown: true"), "v1.5.0", "v1.4.1", 1)), "Server", "kv-1"); strings.Contains(text, member.WaitsForLeaving("kv-4")) {
		t.Errorf("beside one that is kept kv-1 says %s", text)
	}
}

// m3db-operator changed machines at the same time because of an outdated status (m3db-operator issues 260, 271). The agent changes one machine after
// the other.
func TestTwoMachinesAreNeverChangedAtTheSameTime(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	w.Watch()
	pass := w.MustSync(strings.Replace(sized(1, 1, 1), "v1.5.0", "v1.4.2", 1))
	w.settled("kv-0", "kv-1", "kv-2")
	servers := 0
	for _, r := range pass.Results {
		if r.Step.Key.Kind == "Server" && r.Step.Action == plan.Create {
			servers++
		}
	}
	if servers != 3 || w.Least() < 2 {
		t.Errorf("%d machines were made, at some moment %d of 3 nodes had their data; want 3, and at least 2", servers, w.Least())
	}
}

// A machine with another disk has another instance: it replaces the earlier instance and is never taken for it. (M3 issue 2445: if a node's name
// differs from the name of its instance, it waits forever.)
func TestADiskIsLost(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	before := w.Instances()
	w.remove(cloud.Compute, "servers", "kv-1")
	w.eventually(func() bool { return count(w.look()) == 2 })
	w.remove(cloud.BlockStorage, "volumes", "kv-1-m3db")
	pass := w.MustSync(sized(1, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2")
	after := w.Instances()
	if slices.Equal(before, after) || before[0] != after[0] || before[2] != after[2] {
		t.Errorf("%v became %v", before, after)
	}
	for _, r := range pass.Results {
		if r.Step.Key.Kind == "M3DBInstance" && r.Step.Action != plan.Update {
			t.Errorf("the pass did %s %s", r.Step.Action, r.Step.Key)
		}
	}
}

func (w *world) eventually(is func() bool) {
	w.t.Helper()
	kindtest.Await(w.t, kindtest.Patience, w.Interval(), func() error {
		if !is() {
			return errors.New("it never was so")
		}
		return nil
	})
}

// While an instance still lacks some of its shards, no other instance is added or removed (m3db-operator issue 186).
func TestNothingChangesWhileShardsAreOnTheirWay(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	was := w.Instances()[1]
	w.Rename(was, "kv-1.00000000@192.0.2.9") // no node has that name, so it is replaced
	w.MustSync(sized(1, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2")
	w.MustSync(sized(2, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2", "kv-4")
}

// The address and port of a node in the placement never change. A machine is not replaced by one that would listen on another port.
func TestNodesStayWhereTheyAre(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	configured := strings.Replace(sized(1, 1, 1), "etcdEndpoints: [http://192.0.2.7:2379]", "configMapName: own", 1) +
		"\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {m3.yml: 'db: {}'}\n"
	planned := w.Plan(configured)
	if text := why(planned, "Server", "kv-1"); !strings.HasPrefix(text, "keep: ") || !strings.Contains(text, "listen on 9000") {
		t.Errorf("kv-1 says %s", text)
	}
	for _, text := range kindtest.Writes(planned) {
		if strings.Contains(text, "Server/") {
			t.Errorf("it would %s", text)
		}
	}
}

// If etcd has lost a placement, the agent does not begin a new one: nodes would delete the data of shards that are no longer theirs.
func TestEtcdIsLost(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	w.Forget()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second) // the pass would retry for longer
	defer stop()
	w.Engine(w.client).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(sized(1, 1, 1))})
	if n := w.Inits(); n != 1 {
		t.Errorf("the placement began %d times", n)
	}
	if text := why(w.Plan(sized(1, 1, 1)), "M3DBInstance", "kv-0"); !strings.Contains(text, "port unset --tag "+string(member.PlacementBegun)) {
		t.Errorf("kv-0 says %s", text)
	}
}

// The placement of a removed cluster is still in etcd, with addresses that no machine has any more. The instances report that and what to do, and the
// pass does not try to replace them again and again.
func TestAClusterComesBackUnderItsName(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(2, 1, 1))
	old := map[string]string{}
	for at, m := range w.look() {
		old[m.name] = at
	}
	sync := func(patience time.Duration) (pass engine.Pass, ended bool) {
		ctx, stop := context.WithTimeout(t.Context(), patience)
		defer stop()
		pass = w.Engine(w.client).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(sized(1, 1, 1))})
		return pass, ctx.Err() == nil
	}
	for again := true; again; { // repeated until no machine has its earlier address by chance
		w.MustSync("")
		sync(5 * time.Second)
		again = false
		for at, m := range w.look() {
			again = again || old[m.name] == at
		}
	}
	kindtest.Address(t, w.client, map[string]string{"kv-0": old["kv-1"], "kv-1": old["kv-2"], "kv-2": old["kv-4"]}) // now each machine has the earlier address of another machine, which must not help
	pass, ended := sync(time.Minute)
	if !ended {
		t.Fatal("the pass goes on and on")
	}
	attempts := map[string]int{}
	for _, r := range pass.Results {
		if r.Step.Key.Kind == "M3DBInstance" {
			attempts[r.Step.Key.Name]++
		}
	}
	for name, n := range attempts {
		if n > 1 {
			t.Errorf("%s was tried %d times", name, n)
		}
	}
	for _, name := range []string{"kv-0", "kv-1", "kv-2"} {
		if text := why(pass.Last, "M3DBInstance", name); !strings.HasPrefix(text, "keep: ") || !strings.Contains(text, old[name]) {
			t.Errorf("%s says %s", name, text)
		}
	}
	w.Forget() // somebody deletes the placement
	w.MustSync(sized(1, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2")
}

// A namespace is deleted with its data only if a manifest declared it before. A namespace that somebody created by hand stays.
func TestNamespacesComeAndGo(t *testing.T) {
	w := newWorld(t)
	two := strings.Replace(sized(1, 1, 1), "preset: 10s:2d}", "preset: 10s:2d}, {name: 'long:40d', preset: 1m:40d}", 1)
	w.MustSync(two)
	w.MakeNamespace("default/kv", "by-hand")
	if got := w.Namespaces(); !slices.Equal(got, []string{"by-hand", "long:40d", "plain"}) {
		t.Errorf("there are %v", got)
	}
	planned := w.Plan(sized(1, 1, 1))
	if list := kindtest.Writes(planned); len(list) != 1 || !strings.HasPrefix(list[0], "delete M3DBNamespace/kv-long-40d-") {
		t.Errorf("the plan has %v", list)
	}
	w.MustSync(sized(1, 1, 1))
	if got := w.Namespaces(); !slices.Equal(got, []string{"by-hand", "plain"}) {
		t.Errorf("there are %v", got)
	}
}

// A plan that changes a resolution has the same hash in every agent, because people approve that hash.
func TestOptionsOfANamespaceGiveOneHash(t *testing.T) {
	w := newWorld(t)
	every := func(resolution string) string {
		return strings.Replace(sized(1, 1, 1), "preset: 10s:2d", "options: {retentionOptions: {retentionPeriod: 48h, blockSize: 2h}, aggregationOptions: {aggregations: [{aggregated: true, attributes: {resolution: "+resolution+"}}]}}", 1)
	}
	w.MustSync(every("1m"))
	p := w.Plan(every("10m"))
	if again := w.Plan(every("10m")); p.Summary().Replace+p.Summary().Refuse == 0 || p.Hash() != again.Hash() {
		t.Errorf("%v has the hashes %s and %s", kindtest.Writes(p), p.Hash(), again.Hash())
	}
}

// The retention of data can be changed. For any other change, the namespace must be replaced, which needs permission.
func TestOptionsOfANamespace(t *testing.T) {
	w := newWorld(t)
	with := func(retention, block string) string {
		return strings.Replace(sized(1, 1, 1), "preset: 10s:2d", "options: {bootstrapEnabled: true, retentionOptions: {retentionPeriod: "+retention+", blockSize: "+block+"}}", 1)
	}
	w.MustSync(with("48h", "2h"))
	w.MustSync(with("72h", "2h"))
	if text := why(w.Plan(with("72h", "4h")), "M3DBNamespace", "kv-plain"); !strings.HasPrefix(text, "replace: ") {
		t.Errorf("another block size: %s", text)
	}
}

// If scaling down is prevented, an instance that no manifest wants stays, with its machine. (M3 issue 1432: a removed instance takes its replicas
// along.)
func TestScalingDownIsPrevented(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(2, 1, 1, "  preventScaleDown: true"))
	pass := w.Sync(sized(1, 1, 1, "  preventScaleDown: true"))
	w.settled("kv-0", "kv-1", "kv-2", "kv-4")
	if n := count(w.look()); n != 4 {
		t.Errorf("%d machines are left; %s", n, why(pass.Last, "Server", "kv-4"))
	}
	w.MustSync(sized(1, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2")
}

// A frozen cluster stays unchanged.
func TestFrozen(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	frozen := strings.Replace(sized(1, 1, 1, "  frozen: true"), "v1.5.0", "v1.4.2", 1)
	if list := kindtest.Writes(w.Plan(frozen)); len(list) > 0 {
		t.Errorf("the plan has %v", list)
	}
}

// A commit can freeze a cluster and remove parts of it. The removed parts stay, too: instances with their machines, and a namespace with its data.
func TestFrozenWithFewerParts(t *testing.T) {
	w := newWorld(t)
	two := strings.Replace(sized(2, 1, 1), "preset: 10s:2d}", "preset: 10s:2d}, {name: 'long:40d', preset: 1m:40d}", 1)
	w.MustSync(two)
	frozen := sized(1, 1, 1, "  frozen: true")
	planned := w.Plan(frozen)
	if list := kindtest.Writes(planned); len(list) > 0 {
		t.Errorf("the plan has %v", list)
	}
	for _, part := range [][2]string{{"M3DBInstance", "kv-4"}, {"Server", "kv-4"}, {"Port", "kv-4"}} {
		if !step(planned, part[0], part[1]).Causes.Has(cause.PartOfSuspended) {
			t.Errorf("%s/%s says %s", part[0], part[1], why(planned, part[0], part[1]))
		}
	}
	w.MustSync(frozen)
	w.settled("kv-0", "kv-1", "kv-2", "kv-4")
	if got := w.Namespaces(); !slices.Equal(got, []string{"long:40d", "plain"}) {
		t.Errorf("there are %v", got)
	}
	w.MustSync(sized(1, 1, 1))
	w.settled("kv-0", "kv-1", "kv-2")
}

// An agent is killed at each write request to the cluster. The next agent, which has no state, reaches the same result.
func TestAgentsDieAtEachRequestToM3(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	for _, to := range []string{sized(2, 1, 1), sized(1, 1, 1)} {
		for n := 1; ; n++ {
			died := w.dies(to, n)
			w.MustSync(to)
			for _, sin := range w.Sins() {
				t.Error(sin)
			}
			if !died || n > 10 {
				break
			}
		}
	}
	w.settled("kv-0", "kv-1", "kv-2")
	if n := w.Inits(); n != 1 {
		t.Errorf("the placement began %d times", n)
	}
}

// dies runs an agent that is killed at its n-th write request. It reports whether there was such a request.
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
