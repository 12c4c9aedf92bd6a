package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestAttackChain has a chain of references with the largest number of objects that a stack may have.
func TestAttackChain(t *testing.T) {
	testcost.Long(t)
	const n = 20_000
	next := func(i int) []int {
		if i+1 == n {
			return nil
		}
		return []int{i + 1}
	}
	want, _, err := resolve.Read(thingtest.Files(n, next), []*kind.Kind{thingtest.New().Kind()})
	if err != nil || len(want) != n || want[0].Key.Name != "t19999" {
		t.Errorf("%d objects, %v", len(want), err)
	}
}

// TestAttackCircles has a long circle in which every object closes further circles.
func TestAttackCircles(t *testing.T) {
	testcost.Long(t)
	const n = 5000
	near := func(i int) []int { return []int{(i + 1) % n, i / 2, i / 3, i / 4} }
	var err error
	took := testcost.Allocated(func() {
		_, _, err = resolve.Read(thingtest.Files(n, near), []*kind.Kind{thingtest.New().Kind()})
	})
	var problems manifest.Problems
	if !errors.As(err, &problems) || len(problems) != 1001 || took > 200<<20 {
		t.Fatalf("%d problems, %d MiB", len(problems), took>>20)
	}
	for _, p := range problems {
		if len(p.String()) > 500 {
			t.Fatalf("a problem of %d bytes: %s", len(p.String()), p)
		}
	}
	if !strings.Contains(problems[5].What, "more -> ") {
		t.Errorf("got %s", problems[5])
	}
}

// TestAttackStoppedDecodes counts the objects that are decoded after reading was stopped.
func TestAttackStoppedDecodes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	made := 0
	counting := many(func() {
		if made++; made == 100 {
			cancel()
		}
	})
	text := "apiVersion: test/v1\nkind: Many\nmetadata: {name: m}\nspec: {count: 10000}\n"
	_, err := resolve.Reader{Kinds: []*kind.Kind{counting}}.Read(ctx, fstest.MapFS{"a.yaml": {Data: []byte(text)}})
	if !errors.Is(err, context.Canceled) || made != 100 {
		t.Errorf("%d objects were decoded, %v", made, err)
	}
}

// TestAttackEndlessExpansion has an object that expands into itself. The limit on the number of objects ends the expansion.
func TestAttackEndlessExpansion(t *testing.T) {
	testcost.Long(t)
	endless := many(func() {})
	text := "apiVersion: test/v1\nkind: Many\nmetadata: {name: m}\nspec: {count: 1, again: true}\n"
	_, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, []*kind.Kind{endless})
	if err == nil || !strings.HasPrefix(err.Error(), "a.yaml:1: Many/m: more than 20000 objects") {
		t.Errorf("got %v", err)
	}
}

type manySpec struct {
	Count int  `json:"count,omitempty"`
	Again bool `json:"again,omitempty"`
}

// many returns a kind that expands into many objects of its own kind.
func many(decoded func()) *kind.Kind {
	return typed.Workload[manySpec]{
		Info:     kind.Info{Group: "test", Version: "v1", Kind: "Many"},
		Validate: func(*manySpec, *kind.Report) { decoded() },
		Expand: func(s *manySpec, e *kind.Expansion) {
			below := manySpec{}
			if s.Again {
				below = *s
			}
			name := func(i int) string { return fmt.Sprintf("%s-%d", clip(e.Key.Name), i+len(e.Key.Name)) }
			e.Varied("Many", s.Count, name, []any{map[string]any{"spec": below}}, func(int) int { return 0 }, kind.Always)
		},
	}.Kind()
}

// clip shortens names that become too long. Different names stay different.
func clip(name string) string { return checksum.Short(name) }
