package docs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	glossaryRow  = regexp.MustCompile(`(?m)^\| (\*\*.+?) \| (.*) \| (.*) \|$`)
	glossaryTerm = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// TestGlossary wants the words that the style of prose (tools/vale) forbids beside the term that stands for them: the last
// column of the glossary. With -update it writes that column.
func TestGlossary(t *testing.T) {
	var style struct {
		Swap map[string]string `yaml:"swap"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "../tools/vale/styles/Stackreeve/Terms.yml")), &style); err != nil {
		t.Fatal(err)
	}
	page := read(t, "glossary.md")
	left := len(style.Swap)
	want := glossaryRow.ReplaceAllStringFunc(page, func(row string) string {
		cells := glossaryRow.FindStringSubmatch(row)
		var not []string
		for word, term := range style.Swap {
			if slices.ContainsFunc(glossaryTerm.FindAllStringSubmatch(cells[1], -1), func(m []string) bool { return m[1] == term }) {
				not = append(not, "`"+word+"`")
			}
		}
		left -= len(not)
		slices.Sort(not)
		return "| " + cells[1] + " | " + cells[2] + " | " + strings.Join(not, ", ") + " |"
	})
	if left != 0 {
		t.Errorf("%d words of tools/vale/styles/Stackreeve/Terms.yml stand for a term that is not in the glossary", left)
	}
	if *update {
		if err := os.WriteFile("glossary.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if page != want {
		t.Error("glossary.md and tools/vale/styles/Stackreeve/Terms.yml differ; `make update` writes the last column")
	}
}
