package source

import (
	"fmt"
	"testing"
)

func benchServer(b *testing.B) (*gitRepo, *webServer) {
	g := newGitRepo(b)
	var files []string
	for n := range 1000 {
		files = append(files, fmt.Sprintf("clouds/c%d/file%04d.yaml", n%20, n), fmt.Sprintf("kind: Thing\nmetadata: {name: thing-%d}\n", n))
	}
	g.commit("first", files...)
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
		"local/memory": {URL: g.dir},
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

// BenchmarkChangedFetch follows a branch that has a new commit every time.
func BenchmarkChangedFetch(b *testing.B) {
	g, w := benchServer(b)
	r := newRepo(b, Config{URL: w.url()})
	mustFetch(b, r)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		g.commit("next", "clouds/c1/new.yaml", fmt.Sprint(n))
		b.StartTimer()
		mustFetch(b, r)
	}
}

// BenchmarkMerged merges a pull request that has a new commit every time, into
// a branch of 1,000 files; "unchanged" asks for the same again.
func BenchmarkMerged(b *testing.B) {
	g, w := benchServer(b)
	g.git("config", "uploadpack.allowFilter", "true")
	for n := range 50 {
		g.commit("more", "README.md", fmt.Sprint(n))
	}
	g.git("branch", "feature", "HEAD~40")
	r := newRepo(b, Config{URL: w.url(), Branch: "main", Path: "clouds"})
	mustMerge(b, r, "feature")
	b.Run("changed", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			g.git("switch", "-q", "feature")
			g.commit("next", "clouds/c1/new.yaml", fmt.Sprint(n))
			g.git("switch", "-q", "main")
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
