package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	code    = regexp.MustCompile("(?s)```.*?\n```|`[^`\n]*`")
)

// anchors are the places that the headings of a page make, as GitHub names them.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := strings.ToLower(regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(m[1], ""))
		name = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(name, "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}

// TestLinks follows every link that stays in the repository, to its heading.
func TestLinks(t *testing.T) {
	for file, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			to, anchor, _ := strings.Cut(m[1], "#")
			target := file
			if to != "" {
				target = filepath.Join(filepath.Dir(file), to)
			}
			info, err := os.Stat(target)
			if err != nil {
				t.Errorf("%s links to %s, which is not there", file, m[1])
				continue
			}
			if anchor != "" && !info.IsDir() && !anchors(read(t, target))[anchor] {
				t.Errorf("%s links to %s; %s has no such heading", file, m[1], target)
			}
		}
	}
}

// TestEveryPageIsListed wants every page of docs in its list.
func TestEveryPageIsListed(t *testing.T) {
	list := read(t, "README.md")
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page != "README.md" && !strings.Contains(list, "("+page) {
			t.Errorf("docs/README.md does not list %s", page)
		}
	}
}
