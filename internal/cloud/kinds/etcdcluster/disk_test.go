package etcdcluster_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// Without a volume, a machine's data is deleted with the machine. So the machine is not deleted while the other members
// have no majority without it.
func TestMachinesWithoutAVolume(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.Defaults.Etcd.VolumeSize = 0
	newer := func(size int) string { return strings.Replace(sized(size), "3.5.35", "3.6.16", 1) }
	for size, text := range map[int]string{1: "would lose all data", 2: "would have no majority", 3: "must copy all data"} {
		if !slices.ContainsFunc(w.Resolve(sized(size)), func(d kind.Desired) bool {
			return slices.ContainsFunc(d.Notes, func(n kind.Note) bool { return n.Field == "spec.storage" && strings.Contains(n.Text, text) })
		}) {
			t.Errorf("nothing says that it %s", text)
		}
		for _, d := range w.Resolve(sized(size, "storage: {size: 1}")) {
			if slices.ContainsFunc(d.Notes, func(n kind.Note) bool { return n.Field == "spec.storage" }) {
				t.Errorf("with storage it says %v", d.Notes)
			}
		}
	}
	for _, size := range []int{1, 2} {
		w.MustSync(sized(size))
		w.settled(size)
		for _, next := range []string{newer(size), sized(size, "storage: {size: 1}")} {
			pass := w.Sync(next)
			told := 0
			for _, s := range pass.Last.Steps {
				if s.Key.Kind == "Server" && strings.Contains(s.ShortCause(), "its data is on its own disk") {
					told++
				}
			}
			if told != size || slices.ContainsFunc(pass.Results, func(r engine.Result) bool { return r.Step.Key.Kind == "Server" || r.Step.Key.Kind == "EtcdMember" }) {
				t.Errorf("%d of %d machines say why they stay; the pass did %v", told, size, pass.Results)
			}
			w.settled(size)
		}
	}
	w.MustSync(sized(3))
	w.settled(3)
	w.armed()
	for range 9 { // until the next plan removes a member
		if w.Sync(newer(3)).Outcome() == plan.InSync {
			break
		}
	}
	w.MustSync(newer(3))
	w.settled(3)
	if w.fewest < 2 {
		t.Errorf("at some moment %d of 3 machines ran", w.fewest)
	}
}
