package all_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// verda returns the published example of Verda's operator as one text.
func verda(t *testing.T) string {
	t.Helper()
	return example(t, "verda")
}

// example returns an example repository as one text.
func example(t *testing.T, name string) string {
	t.Helper()
	files, err := stackreeve.Example(name)
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, file := range names {
		text, err := fs.ReadFile(files, file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "\n---\n")
}

// The agent is killed after each writing request in turn, while the objects are created and while
// they are deleted. After the next agent has finished, the cloud has exactly the objects of the
// manifests. The test takes long, because it creates and deletes all objects again for each number of
// requests.
func TestKillAfterEachRequest(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	story := verda(t)
	for n := 1; ; n++ {
		g := kindtest.NewTarget(t, all.Kinds)
		built := g.SyncUntilKilled(story, n)
		exactly(t, n, "building", g.MustSync(story))
		emptied := g.SyncUntilKilled("", n)
		if pass := g.MustSync(""); pass.Last.Owned != 0 {
			t.Errorf("killed after %d writes while emptying: %d objects are left", n, pass.Last.Owned)
		}
		if !built && !emptied {
			if n < 8 {
				t.Errorf("the story was built with %d writes", n-1)
			}
			return
		}
	}
}

// exactly expects one object in the cloud for each manifest.
func exactly(t *testing.T, n int, what string, pass engine.Pass) {
	t.Helper()
	managed := 0
	for _, step := range pass.Last.Steps {
		if !step.Unmanaged() {
			managed++
		}
	}
	if pass.Last.Owned != managed {
		t.Errorf("killed after %d writes while %s: the stack owns %d objects, want %d", n, what, pass.Last.Owned, managed)
	}
	for _, step := range pass.First.Steps {
		if step.Action == plan.Delete {
			t.Errorf("killed after %d writes while %s: %s was there twice", n, what, step.Key)
		}
	}
}
