package testcost

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var unraced = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\ttestcost\.NotUnderRace\(t\)`)

// TestTheMakefileRunsWhatIsSkippedUnderRace compares its list with the calls of NotUnderRace, which
// have to be the first line of a test.
func TestTheMakefileRunsWhatIsSkippedUnderRace(t *testing.T) {
	root := os.DirFS("../..")
	var tests, packages []string
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/testcost/") {
			return err
		}
		text, err := fs.ReadFile(root, file)
		found := unraced.FindAllSubmatch(text, -1)
		for _, f := range found {
			tests, packages = append(tests, string(f[1])), append(packages, "./"+path.Dir(file))
		}
		if len(found) != strings.Count(string(text), "testcost.NotUnderRace(") {
			t.Errorf("%s: a call of NotUnderRace is not the first line of a test", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	slices.Sort(tests)
	for name, want := range map[string]string{"UNRACED": strings.Join(tests, " "), "UNRACED_IN": strings.Join(packages, " ")} {
		if line := "\n" + name + " := " + want + "\n"; !strings.Contains(string(makefile), line) {
			t.Errorf("the Makefile needs this line:%s", line)
		}
	}
}
