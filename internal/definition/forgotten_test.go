package definition_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// commit returns a revision with a definition and an object whose names are in no other revision.
func commit(number int) map[string]string {
	var fields, values strings.Builder
	for i := range 60 {
		name := fmt.Sprintf("f%d_%d", number, i)
		fmt.Fprintf(&fields, "\n      %s: {%s_a: 'string | default=\"d%d\" enum=\"d%d,e%d\" description=\"what %s is\"', list: '[]Size%d', map: 'map[string]Size%d'}", name, name, number, number, number, name, number, number)
		fmt.Fprintf(&values, "  %s: {%s_a: e%d, list: [{cpu%d: 3}]}\n", name, name, number, number)
	}
	definition := definitionOf(fields.String(), resource("", fmt.Sprintf(`{description: "${schema.spec.f%d_0.f%d_0_a}"}`, number, number)))
	definition = strings.Replace(definition, "    spec:", fmt.Sprintf("    types: {Size%d: {cpu%d: 'integer | minimum=1 default=2'}}\n    status: {s%d: '${net.metadata.name}'}\n    spec:", number, number, number), 1)
	rename := func(text string) string {
		return strings.ReplaceAll(text, "kind: Team\n", fmt.Sprintf("kind: Team%d\n", number))
	}
	return map[string]string{"def.yaml": rename(definition), "red.yaml": rename(team) + "spec:\n" + values.String()}
}

// heap returns the memory in use after garbage collection.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// follow reads and plans commits, and makes all documents that show them.
func follow(t *testing.T, from, to int) {
	t.Helper()
	for number := from; number < to; number++ {
		got, err := reading(commit(number))
		if err != nil {
			t.Fatalf("commit %d: %.1000s", number, err)
		}
		kinds := all.Kinds(nil, defaults.Defaults{})
		p := decide.Compute(world.Input{Stack: "s", Kinds: kinds, Want: got.Want})
		if len(p.Steps) != 1 || len(status.Of(p, kinds)) == 0 || len(document.Differences(nil, got.Want)) == 0 {
			t.Fatalf("commit %d has %d steps", number, len(p.Steps))
		}
		for range confidential.Words(got.Want) {
		}
	}
}

const (
	// leftOver is the memory by which the heap may grow in a hundred commits by chance. The names of one commit need
	// more.
	leftOver = 256 << 10
	// maxRetained is the maximum memory of everything that a process allocates only once.
	maxRetained = 8 << 20
)

// TestCommitsAreForgotten checks that no name from a commit stays in memory after the commit is no longer used.
func TestCommitsAreForgotten(t *testing.T) {
	follow(t, 0, 20)
	if _, kept := testcost.AllocatedAndKept(func() { follow(t, 20, 120) }); kept > leftOver {
		t.Errorf("a hundred commits left %d KiB", kept>>10)
	}
}

// TestThousandsOfCommitsAreForgotten checks that the heap does not grow slowly either. It takes most of a minute,
// because a slow leak is only visible after thousands of commits, each of which compiles its definitions.
func TestThousandsOfCommitsAreForgotten(t *testing.T) {
	testcost.Long(t)
	follow(t, 0, 1000)
	half := heap()
	follow(t, 1000, 2000)
	whole := heap()
	t.Logf("%d KiB after 1,000 commits, %d KiB after 2,000", half>>10, whole>>10)
	if whole-half > leftOver || whole > maxRetained {
		t.Errorf("the heap has %d KiB after 1,000 commits and %d KiB after 2,000", half>>10, whole>>10)
	}
}
