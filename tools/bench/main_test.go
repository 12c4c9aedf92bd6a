package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiguresGoIntoThePage: a measured figure replaces the old one, and a figure that was not measured stays.
func TestFiguresGoIntoThePage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	write(t, page, `# Benchmarks

<!-- bench: parts -->
| measurement | wanted | measured | benchmark |
|---|---|---|---|
| load of 10,000 manifests from 1,000 files | | 320 ms | x |
<!-- bench end -->

Between.

<!-- bench: stacks -->
<!-- bench end -->
`)
	output := `goos: linux
pkg: github.com/stackreeve/stackreeve/internal/reconcile/engine
BenchmarkPlan-2   	       3	  61234567 ns/op	36123456 B/op	  1 allocs/op
BenchmarkStacks/50-2  1  5 ns/op  7 requests/op
PASS
pkg: github.com/stackreeve/stackreeve/cmd/agent
BenchmarkStacks/50-2   	       1	  61234567 ns/op	 9220 requests/op	 5.714 cpu-s/op	148.2 peak-MiB	21 s-to-in-sync/op
BenchmarkStacks/200    	       1	  61234567 ns/op	 38939 requests/op	 38.52 cpu-s/op
BenchmarkStacks/1000-2   	       1	  61234567 ns/op	 0.0123 cpu-s/op
ok
`
	var shown strings.Builder
	if err := run(strings.NewReader(output), &shown, []string{page}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| plan of 10,000 objects, one in a hundred differs: time | 500 ms | 61.2 ms | `BenchmarkPlan` |\n",
		"| the same: memory allocated | 18 MB | 36.1 MB | `BenchmarkPlan` |\n",
		"| load of 10,000 manifests from 1,000 files |  | 320 ms | `BenchmarkLoad` |\n",
		"| requests | 9220 | 38939 |  |\n",
		"| CPU time, s | 5.71 | 38.5 | 0.0123 |\n",
		"x-axis [50, 200, 1000]\n  line [5.71, 38.5, 0.0123]\n",
		"\n\nBetween.\n\n",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	if strings.Count(string(got), "```mermaid") != 1 || !strings.Contains(shown.String(), "| 9220 |") {
		t.Errorf("%s\n%s", got, &shown)
	}
	if err := run(strings.NewReader(output), &shown, []string{page}); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(page); err != nil || string(again) != string(got) {
		t.Errorf("a second run changes the page: %v\n%s", err, again)
	}
}

func TestRefused(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	measured := "BenchmarkPlan-2 3 61234567 ns/op\n"
	for name, c := range map[string]struct{ page, output string }{
		"no benchmark":         {"", "PASS\n"},
		"no such table":        {"<!-- bench: other -->\n<!-- bench end -->", measured},
		"table without an end": {"<!-- bench: parts -->\n", measured},
	} {
		write(t, page, c.page)
		if err := run(strings.NewReader(c.output), new(strings.Builder), []string{page}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got, err := os.ReadFile(page); err != nil || string(got) != c.page {
			t.Errorf("%s: the page was changed: %q, %v", name, got, err)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
