package testcost

import (
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	calls   = regexp.MustCompile(`testcost\.(Long|NotUnderRace)\(`)
	unraced = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\ttestcost\.NotUnderRace\(t\)`)
	first   = regexp.MustCompile(`(?m)^func Test\w+\(t \*testing\.T\) \{\n(?:\ttestcost\.NotUnderRace\(t\)(?: +//.*)?\n)?(?:\ttestcost\.Long\(t\)(?: +//.*)?\n)?`)
)

// TestTheMakefileFindsWhatIsSkippedUnderRace compares the tests that `make test-all` runs without the race
// detector with the calls of NotUnderRace. The calls of Long and NotUnderRace must be the first calls in a test,
// in this order.
func TestTheMakefileFindsWhatIsSkippedUnderRace(t *testing.T) {
	root := os.DirFS("../..")
	var want []string
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/testcost/") {
			return err
		}
		text, err := fs.ReadFile(root, file)
		for _, f := range unraced.FindAllSubmatch(text, -1) {
			want = append(want, string(f[1]))
		}
		begin := 0
		for _, f := range first.FindAll(text, -1) {
			begin += len(calls.FindAll(f, -1))
		}
		if begin != len(calls.FindAll(text, -1)) {
			t.Errorf("%s: a call of NotUnderRace or Long does not begin a test", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not here")
	}
	out, err := exec.CommandContext(t.Context(), "make", "-s", "-C", "../..", "unraced").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "|")
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("make test-all runs without the race detector\n%q; want\n%q", got, want)
	}
}
