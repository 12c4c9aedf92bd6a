package comment

import (
	"bytes"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	render "github.com/yuin/goldmark/renderer/html"
)

// The comment of the story review is shown as a forge shows it: on a page with a merge request. STACKREEVE_COMMENT_PAGE names a file that
// gets the page, for the picture in the documentation.
func TestPageOfAMergeRequest(t *testing.T) {
	story, err := txtar.ParseFile("testdata/stories/review.txtar")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("testdata/merge-request.html")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{}
	for _, f := range story.Files {
		of[f.Name] = string(f.Data)
	}
	var comment bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(render.WithUnsafe()))
	if err := markdown.Convert([]byte(of["comment.md"]), &comment); err != nil {
		t.Fatal(err)
	}
	_, status, _ := strings.Cut(strings.TrimSpace(of["status"]), ": ")
	text := strings.NewReplacer("{{status}}", html.EscapeString(status), "{{comment}}", comment.String()).Replace(string(page))
	if links := strings.Count(text, "<a href="); links == 0 || links != strings.Count(of["comment.md"], "](") || status == "" {
		t.Errorf("%d links and the status %q are on the page", links, status)
	}
	if file := os.Getenv("STACKREEVE_COMMENT_PAGE"); file != "" {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
