package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// program is the text of the program's own Go files, tests left out, and of its
// golden files.
func program(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, root := range []string{"../internal", "../cmd"} {
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			source := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
			if !source && !strings.Contains(name, "testdata") || strings.Contains(name, "/fuzz/") {
				return nil
			}
			content, err := os.ReadFile(name)
			text.WriteString(strings.ReplaceAll(string(content), `\"`, `"`))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

var saidRow = regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")

// TestQuotedMessages wants every message of a table "it says" to be in the
// program: each part between two "…", which stand for what differs.
func TestQuotedMessages(t *testing.T) {
	text, all := read(t, "troubleshooting.md"), program(t)
	count := 0
	for part := range strings.SplitSeq(text, "\n\n") {
		if !strings.HasPrefix(part, "| it says ") && !strings.HasPrefix(part, "| you see ") {
			continue
		}
		for _, row := range saidRow.FindAllStringSubmatch(part, -1) {
			for _, message := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
				count++
				for piece := range strings.SplitSeq(message[1], "…") {
					if piece = strings.TrimSpace(piece); !strings.Contains(all, piece) {
						t.Errorf("troubleshooting.md quotes %q; the program says no such thing: %q", message[1], piece)
					}
				}
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d messages were found", count)
	}
}
