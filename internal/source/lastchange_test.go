package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// TestLastChanges compares with git. The last change of a file is found, however old it is and
// whatever commits follow it, on servers and in local folders.
func TestLastChanges(t *testing.T) {
	g := gittest.New(t)
	g.Write("prod/deep/a.yaml", "one")
	g.Write("prod/b.yaml", "one")
	first := g.Commit("first")
	g.Write("prod/b.yaml", "two")
	second := g.Commit("second")
	for i := range 40 { // more commits than the first fetch of history gets
		g.Write("other", fmt.Sprint(i))
		g.Commit("noise")
	}
	g.Git("checkout", "-q", "-b", "side", second)
	g.Write("prod/deep/c.yaml", "x")
	third := g.Commit("third")
	g.Git("checkout", "-q", "main")
	g.Git("merge", "-q", "--no-ff", "-m", "merged", "side")
	tip := strings.TrimSpace(g.Git("rev-parse", "HEAD"))
	files := map[string]string{"prod/deep/a.yaml": first, "prod/b.yaml": second, "prod/deep/c.yaml": third, "prod/never.yaml": "", "prod/b.yaml/x": ""}
	web := serveHTTP(t, g)
	for _, cfg := range []Config{{URL: g.Dir, Path: "prod"}, {URL: g.Dir}, {URL: web.url(), Path: "prod"}} {
		r, err := New(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range files {
			names = append(names, name)
		}
		got, err := r.LastChanges(t.Context(), tip, names)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range files {
			if got[name].Commit != want {
				t.Errorf("%s was last changed by %q (%s), want %q", name, got[name].Commit, got[name].Subject, want)
			}
			if want != "" && (got[name].Author == "" || got[name].Time.IsZero()) {
				t.Errorf("%s: %+v", name, got[name])
			}
		}
		if rev, changed, err := r.Fetch(t.Context()); err != nil || changed || rev.Commit != tip {
			t.Errorf("afterwards Fetch gives %s, %v, %v", rev.Commit, changed, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAttackLastChangeIsBounded has a history that is too long to fetch. The search must end
// nevertheless.
func TestAttackLastChangeIsBounded(t *testing.T) {
	before := lastChangeDepths
	lastChangeDepths = []int{2, 4}
	defer func() { lastChangeDepths = before }()
	g := gittest.New(t)
	g.Write("old", "x")
	g.Write("new", "x")
	g.Commit("first")
	for i := range 10 {
		g.Write("noise", fmt.Sprint(i))
		g.Commit("noise")
	}
	g.Write("new", "y")
	tip := g.Commit("last")
	r, err := New(Config{URL: g.Dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := r.LastChanges(t.Context(), tip, []string{"old", "new"})
	if err != nil || len(got) != 1 || got["new"].Commit != tip {
		t.Errorf("got %v, %v; want new alone", got, err)
	}
}
