package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// visited returns a store after a run of a stack with a few objects, which are all in one file.
func visited(t *testing.T, about About) *Store {
	t.Helper()
	w := thingtest.New()
	want, err := w.Wanted("a colour=red", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i].Origin = manifest.Origin{File: "net.yaml", Line: i + 1}
	}
	mark := want[0].PlainMark("prod")
	w.Put(thingtest.Thing{Name: "a", Colour: "blue", Mark: &mark, Mine: true})
	kinds := []*kind.Kind{w.Kind()}
	p := decide.Compute(world.Input{Stack: "prod", Kinds: kinds, Want: want, Have: w.Snapshot()})
	s := NewStore(nil, kinds, time.Unix(1, 0))
	s.Add("prod", about, time.Unix(1, 0))
	s.Ran(report.Run{Stack: "prod", Started: time.Unix(2, 0), Revision: source.Revision{Commit: "c1", Author: "Ann"}, Pass: &engine.Pass{First: p, Last: p}})
	return s
}

// The counts in a stack's status equal the counts of the objects in its index.
func TestCountsAreThoseOfTheIndex(t *testing.T) {
	s := visited(t, About{Cloud: "prod", Repository: Repository("https://user:word@git.example/acme/config.git", "clouds/prod"), Dashboards: map[string]string{"Thing": "https://d.example/{id}"}})
	x, _ := s.Index("prod")
	var shown struct {
		Status struct {
			Objects                   int
			Sync, Health              map[string]int
			Cloud, Repository, Author string
			Dashboards                map[string]string
		}
	}
	if err := json.Unmarshal(s.items(s.at(""), stackGVK)[0].text, &shown); err != nil {
		t.Fatal(err)
	}
	got := shown.Status
	sync, health := map[string]int{}, map[string]int{}
	for _, o := range x.Objects {
		sync[o.Sync]++
		health[cmp.Or(o.Health, "healthy")]++
	}
	if got.Objects != len(x.Objects) || got.Objects != 3 || len(got.Sync) != 2 || len(got.Health) != 2 {
		t.Errorf("%+v of %+v", got, x.Objects)
	}
	for word, n := range got.Sync {
		if sync[word] != n {
			t.Errorf("%s: %d and %d", word, n, sync[word])
		}
	}
	for word, n := range got.Health {
		if health[word] != n {
			t.Errorf("%s: %d and %d", word, n, health[word])
		}
	}
	if got.Cloud != "prod" || got.Repository != "https://git.example/acme/config.git /clouds/prod" || got.Author != "Ann" || got.Dashboards["Thing"] == "" {
		t.Errorf("%+v", got)
	}
}

// The author of a file is searched only once per commit, and only for files that contain objects.
func TestWrote(t *testing.T) {
	s := visited(t, About{})
	asked := 0
	s.SetLastChange("prod", func(_ context.Context, file string) (LastChange, error) {
		if asked++; asked == 1 {
			return LastChange{}, errors.New("the server does not answer")
		}
		return LastChange{Author: "Ann " + file}, nil
	})
	for _, c := range []struct {
		stack, file string
		known       bool
		asked       int
	}{{"prod", "net.yaml", false, 1}, {"prod", "net.yaml", true, 2}, {"prod", "net.yaml", true, 2}, {"prod", "../secret", false, 2}, {"other", "net.yaml", false, 2}} {
		w, ok := s.LastChange(t.Context(), c.stack, c.file)
		if ok != c.known || asked != c.asked || ok && w.Author != "Ann net.yaml" {
			t.Errorf("%s %s: %+v, %v, asked %d times", c.stack, c.file, w, ok, asked)
		}
	}
}
