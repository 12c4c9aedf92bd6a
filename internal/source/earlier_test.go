package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// earlier returns the commits that Earlier visits. The visit stops after enough commits.
func earlier(t testing.TB, r *Repo, commit string, most, enough int) (list []string) {
	t.Helper()
	err := r.Earlier(t.Context(), commit, most, func(rev Revision) bool {
		if rev.Branch != "main" || rev.Files == nil {
			t.Errorf("visited %+v", rev)
		}
		list = append(list, rev.Commit)
		return len(list) < enough
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEarlier visits the commits of a history with merges, and with commits that do not have the
// folder. It does not visit more than the limit.
func TestEarlier(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("without the folder", "README.md", "1")
		for n := range 6 {
			g.Commit("more", "prod/a.yaml", fmt.Sprint(n))
		}
		g.Git("switch", "-q", "-c", "side")
		g.Commit("aside", "prod/b.yaml", "b")
		g.Git("switch", "-q", "main")
		g.Git("merge", "-q", "--no-ff", "--no-edit", "side")
		head := g.Commit("last", "prod/a.yaml", "last")
		all := strings.Fields(g.Git("rev-list", "--first-parent", head, "--", "prod"))[1:]
		cfg.Path = "prod"
		for name, allow := range map[string]string{"all": "false", "bare": "true"} {
			g.Git("config", "uploadpack.allowFilter", allow)
			g.Git("config", "uploadpack.allowReachableSHA1InWant", allow)
			r := newRepo(t, cfg)
			rev, _ := mustFetch(t, r)
			if got := earlier(t, r, head, 50, 50); !slices.Equal(got, all) {
				t.Errorf("%s: visited %q, want %q", name, got, all)
			}
			if got := earlier(t, r, head, 3, 50); !slices.Equal(got, all[:3]) {
				t.Errorf("%s: with three at most: %q", name, got)
			}
			if got := earlier(t, newRepo(t, cfg), head, 50, 2); !slices.Equal(got, all[:2]) {
				t.Errorf("%s: two were enough: %q", name, got)
			}
			if last, ok := r.Last(); !ok || last.Commit != rev.Commit {
				t.Errorf("%s: the last revision became %+v", name, last)
			}
			if again, changed := mustFetch(t, r); changed || readFile(t, again, "a.yaml") != "last" {
				t.Errorf("%s: afterwards the branch is %+v", name, again)
			}
		}
	})
}

func TestEarlierOfShallowRepository(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	g := gittest.New(t)
	for n := range 9 {
		g.Commit("more", "a.yaml", fmt.Sprint(n))
	}
	shallow := g.Dir + "-shallow"
	g.Git("clone", "-q", "--depth=3", "file://"+g.Dir, shallow)
	for _, url := range []string{shallow, "file://" + shallow} {
		if got := earlier(t, newRepo(t, Config{URL: url, Branch: "main"}), g.Git("rev-parse", "HEAD"), 50, 50); len(got) != 2 {
			t.Errorf("%s: visited %q, want the two that are there", url, got)
		}
	}
}

// TestEarlierIsTheFirstParents visits the commits of random histories, up to random limits.
func TestEarlierIsTheFirstParents(t *testing.T) {
	testcost.Long(t) // git makes and merges many random histories
	g := gittest.New(t)
	g.Commit("somewhere else")
	g.Git("switch", "-q", "--detach")
	rapid.Check(t, func(t *rapid.T) {
		var made []string
		tree := g.Git("mktree")
		for n := range rapid.IntRange(1, 12).Draw(t, "commits") {
			args := []string{"commit-tree", tree, "-m", fmt.Sprint(n)}
			var parents []string
			if len(made) > 0 {
				parents = rapid.SliceOfNDistinct(rapid.SampledFrom(made), 1, min(2, len(made)), rapid.ID[string]).Draw(t, "parents")
			}
			for _, p := range parents {
				args = append(args, "-p", p)
			}
			made = append(made, g.Git(args...))
		}
		head := made[len(made)-1]
		g.Git("update-ref", "refs/heads/main", head)
		g.Git("config", "uploadpack.allowFilter", rapid.SampledFrom([]string{"true", "false"}).Draw(t, "filter"))
		most := rapid.IntRange(1, 14).Draw(t, "most")
		want := strings.Fields(g.Git("rev-list", "--first-parent", head))[1:]
		want = want[:min(most, len(want))]
		r, err := New(Config{URL: g.Dir, Branch: "main"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var got []string
		if err := r.Earlier(t.Context(), head, most, func(rev Revision) bool { got = append(got, rev.Commit); return true }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("visited %q, want %q", got, want)
		}
	})
}
