package etcdcluster_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// storageNote returns the note at spec.storage, or "".
func (w *world) storageNote(manifests string) string {
	for _, d := range w.Resolve(manifests) {
		for _, n := range d.Notes {
			if n.Field == "spec.storage" {
				return n.Text
			}
		}
	}
	return ""
}

// Without a volume, a machine's data is deleted with the machine. So the machine is not deleted while the other members
// have no majority without it.
func TestMachinesWithoutAVolume(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.Defaults.Etcd.VolumeSize = 0
	newer := func(size int) string { return strings.Replace(sized(size), "3.5.35", "3.6.16", 1) }
	said := map[string]int{}
	for size := 1; size <= 3; size++ {
		note := w.storageNote(sized(size))
		if other, twice := said[note]; note == "" || twice || strings.Contains(note, "set size to 3") != (size < 3) {
			t.Errorf("of %d members, the note is %q, as of %d", size, note, other)
		}
		said[note] = size
		if note := w.storageNote(sized(size, "storage: {size: 1}")); note != "" {
			t.Errorf("with storage, the note is %q", note)
		}
	}
	for _, size := range []int{1, 2} {
		w.MustSync(sized(size))
		w.settled(size)
		for _, next := range []string{newer(size), sized(size, "storage: {size: 1}")} {
			pass := w.Sync(next)
			told := 0
			for _, s := range pass.Last.Steps {
				if s.Key.Kind == "Server" && s.Causes.Has(cause.LeftFor) && strings.Contains(s.ShortCause(), "spec.size") {
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
