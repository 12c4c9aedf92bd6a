package reconcile

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// allocated is how many MiB f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc-before.TotalAlloc) >> 20
}

// things is a repository of so many Things, each near others.
func things(n int, near func(i int) []int) fstest.MapFS {
	files := fstest.MapFS{}
	for i := range n {
		name := fmt.Sprintf("%03d.yaml", i/500)
		if files[name] == nil {
			files[name] = &fstest.MapFile{}
		}
		var names []string
		for _, j := range near(i) {
			names = append(names, fmt.Sprintf("t%05d", j))
		}
		files[name].Data = fmt.Appendf(files[name].Data, "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: t%05d}\nspec: {resource: {near: [%s]}}\n", i, strings.Join(names, ", "))
	}
	return files
}

// TestAttackChain: a chain of references as long as a stack can be.
func TestAttackChain(t *testing.T) {
	const n = 20_000
	next := func(i int) []int {
		if i+1 == n {
			return nil
		}
		return []int{i + 1}
	}
	want, _, err := Read(things(n, next), []Kind{newWorld().kind()}, Defaults{})
	if err != nil || len(want) != n || want[0].Key.Name != "t19999" {
		t.Errorf("%d objects, %v", len(want), err)
	}
}

// TestAttackCircles: every object of a long circle closes others on the way.
func TestAttackCircles(t *testing.T) {
	const n = 5000
	near := func(i int) []int { return []int{(i + 1) % n, i / 2, i / 3, i / 4} }
	var err error
	took := allocated(func() { _, _, err = Read(things(n, near), []Kind{newWorld().kind()}, Defaults{}) })
	var problems manifest.Problems
	if !errors.As(err, &problems) || len(problems) != mostProblems+1 || took > 200 {
		t.Fatalf("%d problems, %d MiB", len(problems), took)
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

// TestAttackStoppedDecodes counts what is still decoded after a stop.
func TestAttackStoppedDecodes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	made := 0
	counting := DefineWorkload(Info{Group: "test", Version: "v1", Kind: "Many"}, many{func() {
		if made++; made == 100 {
			cancel()
		}
	}})
	text := "apiVersion: test/v1\nkind: Many\nmetadata: {name: m}\nspec: {count: 10000}\n"
	_, err := Reader{Kinds: []Kind{counting}}.Read(ctx, fstest.MapFS{"a.yaml": {Data: []byte(text)}})
	if !errors.Is(err, context.Canceled) || made != 100 {
		t.Errorf("%d objects were decoded, %v", made, err)
	}
}

// TestAttackEndlessExpansion: what expands into itself is stopped by its number.
func TestAttackEndlessExpansion(t *testing.T) {
	endless := DefineWorkload(Info{Group: "test", Version: "v1", Kind: "Many"}, many{func() {}})
	text := "apiVersion: test/v1\nkind: Many\nmetadata: {name: m}\nspec: {count: 1, again: true}\n"
	_, _, err := Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, []Kind{endless}, Defaults{})
	if err == nil || !strings.HasPrefix(err.Error(), "a.yaml:1: Many/m: more than 20000 objects") {
		t.Errorf("got %v", err)
	}
}

// many is a kind that expands into many of its own.
type many struct{ decoded func() }

type manySpec struct {
	Count int  `json:"count,omitempty"`
	Again bool `json:"again,omitempty"`
}

func (m many) Validate(*manySpec, *Report) { m.decoded() }

func (many) Expand(s *manySpec, e *Expansion) {
	below := manySpec{}
	if s.Again {
		below = *s
	}
	e.Children("Many", s.Count, func(i int) string { return fmt.Sprintf("%s-%d", clipped(e.Key.Name), i+len(e.Key.Name)) }, map[string]any{"spec": below})
}

// clipped keeps names that grow short, and different.
func clipped(name string) string { return Digest(name) }

// TestAttackOneForAll: one object that all others use, in plans that delete or
// replace it with them.
func TestAttackOneForAll(t *testing.T) {
	const n = 2000
	w := newWorld()
	kinds := []Kind{w.kind()}
	files := things(1, func(int) []int { return nil })
	var have Collection
	hub := &thing{id: "hub", name: "t00000", mine: true, mark: &Mark{Owner: OwnerText("s", manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "t00000"}), Applied: "x"}, failed: true}
	have.Items = append(have.Items, erase(w.live(hub)))
	var text strings.Builder
	for i := range n {
		name := fmt.Sprintf("u%05d", i)
		fmt.Fprintf(&text, "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: %s}\nspec: {resource: {atop: [t00000]}}\n", name)
		user := &thing{id: name, name: name, mine: true, on: []string{"hub"}, mark: &Mark{Owner: OwnerText("s", manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: name}), Applied: "x"}}
		have.Items = append(have.Items, erase(w.live(user)))
	}
	files["users.yaml"] = &fstest.MapFile{Data: []byte(text.String())}
	want, _, err := Read(files, kinds, Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Stack: "s", Kinds: kinds, Have: Snapshot{"Thing": have}, Replace: true}
	for _, c := range []struct {
		name string
		want []Desired
		did  func(Summary) int
	}{
		{"deleted", nil, func(s Summary) int { return s.Delete }},
		{"replaced", want, func(s Summary) int { return s.Replace }},
	} {
		in.Want = c.want
		var plan Plan
		most := int64(30)
		if underRace {
			most = 120
		}
		if took := allocated(func() { plan = Make(in) }); took > most {
			t.Errorf("%s: %d MiB", c.name, took)
		}
		if did := c.did(plan.Summary()); did != n+1 {
			t.Errorf("%d objects are %s: %s", did, c.name, plan.Summary())
		}
	}
}

// TestAttackSuggestions: names that the cloud has not are compared with those
// that it has up to a number.
func TestAttackSuggestions(t *testing.T) {
	w := newWorld()
	var have Collection
	var text strings.Builder
	for i := range 1000 {
		name := fmt.Sprintf("%s%04d", strings.Repeat("n", 200), i)
		have.Items = append(have.Items, erase(w.live(&thing{id: name, name: name})))
		fmt.Fprintf(&text, "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: t%d}\nspec: {managementPolicy: unmanaged, import: {filter: {name: %sx}}}\n", i, name)
	}
	want, _, err := Read(fstest.MapFS{"a.yaml": {Data: []byte(text.String())}}, []Kind{w.kind()}, Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanner(Input{Stack: "s", Kinds: []Kind{w.kind()}, Have: Snapshot{"Thing": have}, Want: want})
	suggested := 0
	for i := range want {
		if strings.Contains(p.decide(&want[i]).Reason, "the nearest are") {
			suggested++
		}
	}
	if suggested != mostCompared/1000 {
		t.Errorf("%d suggestions", suggested)
	}
}
