package comment

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each story contains a stack, a change to its cloud, a pull request, and the text that people read about it.
// The plans are real: the kinds make them, with a simulated OpenStack. The first line says what the story shows.
//
//	before/…      manifests that are applied first
//	cloud         "set SERVICE COLLECTION NAME FIELD VALUE", "delete SERVICE COLLECTION NAME",
//	              "fault SERVICE METHOD PATH TEXT"
//	after/…       manifests of the pull request; if there are none, those of before
//	page          options of the page, see [story.option]
//	comment.md, status, annotations   the result
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runStory(t, file) })
	}
}

func runStory(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var results []txtar.File
	for _, f := range archive.Files {
		switch f.Name {
		case "comment.md", "status", "annotations":
		default:
			results = append(results, f)
		}
	}
	s := newStory(t, archive)
	texts := s.texts()
	judge(t, texts["comment.md"])
	for name, text := range texts {
		texts[name] = s.still(text)
	}
	for _, name := range []string{"comment.md", "status", "annotations"} {
		if texts[name] != "" {
			results = append(results, txtar.File{Name: name, Data: []byte(texts[name])})
		}
	}
	if md := texts["comment.md"]; strings.Contains(md, "\n-- ") {
		t.Fatalf("the comment cannot be kept in an archive: %s", md)
	}
	got := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: results})
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := txtar.Format(archive); !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64}|[0-9a-f]{32}`)

// still replaces the parts of a text that differ between runs: IDs, and the hashes that depend on IDs.
func (s *story) still(text string) string {
	for _, hash := range s.hashes {
		text = strings.ReplaceAll(text, hash, "0a1b2c3d4e5f6789")
	}
	return anyID.ReplaceAllString(text, "ID")
}
