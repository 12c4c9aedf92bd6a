package source

import (
	"fmt"
	"strings"
	"testing"
)

// Who last changed a file is what git says, however deep it is and whatever came
// after it, for servers and local folders alike.
func TestLastTouches(t *testing.T) {
	g := newGitRepo(t)
	g.write("prod/deep/a.yaml", "one")
	g.write("prod/b.yaml", "one")
	first := g.commit("first")
	g.write("prod/b.yaml", "two")
	second := g.commit("second")
	for i := range 40 { // more than the first look back shows
		g.write("other", fmt.Sprint(i))
		g.commit("noise")
	}
	g.git("checkout", "-q", "-b", "side", second)
	g.write("prod/deep/c.yaml", "x")
	third := g.commit("third")
	g.git("checkout", "-q", "main")
	g.git("merge", "-q", "--no-ff", "-m", "merged", "side")
	tip := strings.TrimSpace(g.git("rev-parse", "HEAD"))
	files := map[string]string{"prod/deep/a.yaml": first, "prod/b.yaml": second, "prod/deep/c.yaml": third, "prod/never.yaml": "", "prod/b.yaml/x": ""}
	web := serveHTTP(t, g)
	for _, cfg := range []Config{{URL: g.dir, Path: "prod"}, {URL: g.dir}, {URL: web.url(), Path: "prod"}} {
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
		got, err := r.LastTouches(t.Context(), tip, names)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range files {
			if got[name].Commit != want {
				t.Errorf("%s was last touched by %q (%s), want %q", name, got[name].Commit, got[name].Subject, want)
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

// A history that is longer than anybody wants to fetch has an end.
func TestAttackLastTouchIsBounded(t *testing.T) {
	before := touchDepths
	touchDepths = []int{2, 4}
	defer func() { touchDepths = before }()
	g := newGitRepo(t)
	g.write("old", "x")
	g.write("new", "x")
	g.commit("first")
	for i := range 10 {
		g.write("noise", fmt.Sprint(i))
		g.commit("noise")
	}
	g.write("new", "y")
	tip := g.commit("last")
	r, err := New(Config{URL: g.dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := r.LastTouches(t.Context(), tip, []string{"old", "new"})
	if err != nil || len(got) != 1 || got["new"].Commit != tip {
		t.Errorf("got %v, %v; want new alone", got, err)
	}
}
