package source

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

func benchServer(b *testing.B) (*gittest.Repo, *webServer) {
	g := gittest.New(b)
	var files []string
	for n := range 1000 {
		files = append(files, fmt.Sprintf("clouds/c%d/file%04d.yaml", n%20, n), fmt.Sprintf("kind: Thing\nmetadata: {name: thing-%d}\n", n))
	}
	g.Commit("first", files...)
	return g, serveHTTP(b, g)
}

func BenchmarkNoChangeFetch(b *testing.B) {
	_, w := benchServer(b)
	r := newRepo(b, Config{URL: w.url()})
	mustFetch(b, r)
	for b.Loop() {
		mustFetch(b, r)
	}
}

func BenchmarkClone(b *testing.B) {
	g, w := benchServer(b)
	for name, cfg := range map[string]Config{
		"http/memory":  {URL: w.url()},
		"http/disk":    {URL: w.url(), Dir: b.TempDir()},
		"local/memory": {URL: g.Dir},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				c := cfg
				if c.Dir != "" {
					c.Dir = fmt.Sprintf("%s/%d", cfg.Dir, n)
				}
				r, err := New(c, nil)
				if err != nil {
					b.Fatal(err)
				}
				mustFetch(b, r)
				r.Close()
			}
		})
	}
}

// BenchmarkChangedFetch fetches a branch that has a new commit every time.
func BenchmarkChangedFetch(b *testing.B) {
	g, w := benchServer(b)
	r := newRepo(b, Config{URL: w.url()})
	mustFetch(b, r)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		g.Commit("next", "clouds/c1/new.yaml", fmt.Sprint(n))
		b.StartTimer()
		mustFetch(b, r)
	}
}

// BenchmarkMerged merges a pull request that has a new commit every time into a branch of 1,000
// files. Its case "unchanged" merges the same pair again.
func BenchmarkMerged(b *testing.B) {
	g, w := benchServer(b)
	g.Git("config", "uploadpack.allowFilter", "true")
	for n := range 50 {
		g.Commit("more", "README.md", fmt.Sprint(n))
	}
	g.Git("branch", "feature", "HEAD~40")
	r := newRepo(b, Config{URL: w.url(), Branch: "main", Path: "clouds"})
	mustMerge(b, r, "feature")
	b.Run("changed", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			g.Git("switch", "-q", "feature")
			g.Commit("next", "clouds/c1/new.yaml", fmt.Sprint(n))
			g.Git("switch", "-q", "main")
			b.StartTimer()
			if m := mustMerge(b, r, "feature"); readFile(b, m.Revision, "c1/new.yaml") != fmt.Sprint(n) {
				b.Fatal("an older commit was merged")
			}
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			mustMerge(b, r, "feature")
		}
	})
}
