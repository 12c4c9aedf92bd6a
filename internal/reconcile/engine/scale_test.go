package engine

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// machines returns n Things that depend on a common Thing and on one separate Thing each, as
// machines depend on their network and their ports.
func machines(n int) []string {
	lines := []string{"net"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("port%d atop=net", i), fmt.Sprintf("vm%d atop=port%d", i, i))
	}
	return lines
}

// create creates n machines in an empty cloud. allocated is the number of bytes allocated in total,
// kept the number of bytes that the record of the pass still uses.
func create(tb testing.TB, n int) (pass Pass, allocated, kept int64) {
	tb.Helper()
	w := thingtest.New()
	want, err := w.WantedWithin(resolve.Bounds{Objects: 2*n + 1, Values: 1 << 24, Bytes: 1 << 28}, machines(n)...)
	if err != nil {
		tb.Fatal(err)
	}
	allocated, kept = testcost.AllocatedAndKept(func() { pass = engineOf(w).Sync(context.Background(), Revision{Want: want}) })
	if pass.Outcome() != plan.InSync || pass.Writes() != 2*n+1 {
		tb.Fatalf("%s after %d writes: %s", pass.Outcome(), pass.Writes(), failed(pass))
	}
	runtime.KeepAlive(w)
	return pass, allocated, kept
}

// Ten times as many machines need ten times as much memory, and the same number of rounds.
func TestCreatingIsLinear(t *testing.T) {
	testcost.Long(t)
	few, fewAllocated, fewKept := create(t, 200)
	many, manyAllocated, manyKept := create(t, 2000)
	if few.Rounds > 12 || many.Rounds > 12 {
		t.Errorf("%d rounds for 200 machines, %d for 2,000; want a dozen at most", few.Rounds, many.Rounds)
	}
	if manyAllocated > 15*fewAllocated {
		t.Errorf("allocates %d MB for 200 machines, %d MB for 2,000", fewAllocated>>20, manyAllocated>>20)
	}
	if manyKept > 15*fewKept || manyKept > 40<<20 {
		t.Errorf("keeps %d KB for 200 machines, %d KB for 2,000", fewKept>>10, manyKept>>10)
	}
	t.Logf("200: %d rounds, %d KB allocated, %d KB kept; 2,000: %d rounds, %d KB allocated, %d KB kept",
		few.Rounds, fewAllocated>>10, fewKept>>10, many.Rounds, manyAllocated>>10, manyKept>>10)
}

// BenchmarkCreate creates machines in an empty cloud.
func BenchmarkCreate(b *testing.B) {
	for _, n := range []int{100, 300, 1000, 3000, 10_000, 24_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				pass, _, kept := create(b, n)
				b.ReportMetric(float64(kept)/float64(n), "kept-B/machine")
				b.ReportMetric(float64(pass.Rounds), "rounds")
			}
		})
	}
}

// If one object is refused because addresses or quota have run out, other
// objects with the same need are not requested.
func TestWhatIsUsedUpIsAskedForOnce(t *testing.T) {
	w := thingtest.New()
	asked := map[string]int{}
	w.OnCreate = func(name string) (before, after error) {
		pool := strings.Split(name, "-")[0]
		asked[pool]++
		if pool == "full" && asked[pool] > 21 {
			return fmt.Errorf("%w: %w: no more addresses", kind.ErrRejected, kind.ErrExhausted), nil
		}
		return nil, nil
	}
	lines := []string{"netfull", "netfree"}
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("full-%d atop=netfull", i), fmt.Sprintf("free-%d atop=netfree", i))
	}
	pass, _ := syncPass(t, w, engineOf(w), lines...)
	if e := engineOf(w); asked["full"] > 21+2*e.parallelism() {
		t.Errorf("asked %d times for what is used up after 21", asked["full"])
	}
	if asked["free"] != 500 {
		t.Errorf("made %d of 500 that need something else", asked["free"])
	}
	if len(pass.Failures) != 500-21 || strings.Count(failed(pass), "no more addresses") != 500-21 {
		t.Errorf("%d failures, want 479 that have the reason", len(pass.Failures))
	}
}
