package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// The tests of the package tiny detect all changes except those of its limits and those in code that they never
// call.
func TestSurvivors(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, options{places: regexp.MustCompile(""), atOnce: 2}, "testdata/tiny", ".", []string{"."}); err != nil {
		t.Fatal(err)
	}
	want := `tiny.go:11:8: <= for < survives
tiny.go:11:17: >= for > survives
tiny.go:25:22: >= for > survives
tiny.go:40:34: no negation is not reached
.: 18 of 18 changes tried, 1 not reached, 3 survive: 77.8 % were noticed
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// Each change has a separate guard. Constants, texts and values of named types are not changed.
func TestChange(t *testing.T) {
	p, err := load("testdata/tiny", ".")
	if err != nil {
		t.Fatal(err)
	}
	p.change()
	var now string
	for _, text := range p.texts {
		now = regexp.MustCompile(`mutantGuard\(\d+\)`).ReplaceAllString(text.now(), "G")
	}
	for _, line := range []string{
		"const limit = 3 + 4",
		"if (((((mutantLess(4, n , 0)) != G || (mutantMore(5, n , limit)) != G) != G)) != G) {",
		"if !G { continue }",
		"sum = mutantSum(7, sum , n)",
		"if !G { count() }",
		"if ((n == 0) != G) {",
		`if !G { return "nothing" + "" }`,
		"case ((isEven(n)) != G):",
		"func isSmall(n int) flag { return n < 3 && n >= 0 }",
	} {
		if !strings.Contains(now, line) {
			t.Errorf("there is no %s", line)
		}
	}
	if t.Failed() {
		t.Log(now)
	}
}

func TestDraw(t *testing.T) {
	all := []change{{1, "a.go:1:1", ""}, {2, "b.go:1:1", ""}, {3, "b.go:2:1", ""}, {4, "b.go:3:1", ""}}
	for _, c := range []struct {
		n    int
		in   string
		want int
	}{{0, "", 4}, {2, "", 2}, {9, "", 4}, {0, "^b", 3}, {1, "^b", 1}, {0, "c", 0}} {
		drawn := draw(all, options{n: c.n, seed: 1, places: regexp.MustCompile(c.in)})
		if len(drawn) != c.want {
			t.Errorf("%d of %q: %v", c.n, c.in, drawn)
		}
		for i := range drawn {
			if i > 0 && drawn[i].number <= drawn[i-1].number {
				t.Errorf("not in their order: %v", drawn)
			}
		}
	}
}
