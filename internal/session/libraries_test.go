package session

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// A library that cannot be fetched is tried only once for all stacks and pull requests. It is tried again after a pause.
func TestALibraryThatIsAwayIsLeftAloneForAWhile(t *testing.T) {
	g := gittest.New(t)
	l := config.Library{Name: "apps", URL: g.Dir, Commit: g.Commit("first", "app.yaml", "1")}
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(g.Dir, away); err != nil {
		t.Fatal(err)
	}
	var all libraries
	open := func(name string) *library {
		same := l
		same.Name = name
		one, err := all.open(&same, func() (*source.Repo, error) { return source.New(l.Repo("", nil), nil) })
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	one, now := open("apps"), time.Now()
	if one != open("ours") {
		t.Error("it depends on what a library is called whether it is fetched twice")
	}
	if _, err := one.fetch(t.Context(), l.Commit, now); err == nil {
		t.Fatal("it was fetched from nowhere")
	}
	if err := os.Rename(away, g.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := one.fetch(t.Context(), l.Commit, now.Add(libraryPause-1)); err == nil {
		t.Error("it was requested again at once")
	}
	if rev, err := one.fetch(t.Context(), l.Commit, now.Add(libraryPause)); err != nil || rev.Commit != l.Commit {
		t.Errorf("after a pause: %+v, %v", rev, err)
	}
}
