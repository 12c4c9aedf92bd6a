package docs

import (
	"strings"
	"testing"
)

// TestReadme wants the two commands that a visitor tries in the README's first
// block, and a first configuration of six lines.
func TestReadme(t *testing.T) {
	list := blocks(read(t, "../README.md"))
	first := strings.Split(list[0].text, "\n")
	if len(first) != 3 || !strings.HasPrefix(first[0], "make test ") || !strings.HasPrefix(first[1], "go run ./cmd/agent demo ") {
		t.Errorf("the README begins with\n%s", list[0].text)
	}
	for _, b := range list {
		if b.language() == "yaml" {
			if n := strings.Count(b.text, "\n"); n != 6 || !strings.Contains(b.text, "kind: Stack") {
				t.Errorf("the first configuration of the README has %d lines:\n%s", n, b.text)
			}
			return
		}
	}
	t.Error("the README has no configuration")
}
