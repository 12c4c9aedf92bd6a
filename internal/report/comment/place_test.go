package comment

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Places are links as long as the comment has enough space for them.
func TestPlacesOfManyProblemsAreNoLinks(t *testing.T) {
	for n, want := range map[int]bool{maxLinked: true, maxLinked + 1: false} {
		problems := make(manifest.Problems, n)
		for i := range problems {
			problems[i] = manifest.Problem{Origin: manifest.Origin{File: "a.yaml", Line: i + 1}, What: "is wrong"}
		}
		text := Page{Stack: "prod", Head: headCommit, Browser: gitLab, Problems: problems}.Markdown()
		if got := strings.Contains(text, "[`a.yaml:1`](https://git.example.org/acme/cloud/-/blob/"+headCommit+"/a.yaml#L1)"); got != want || !strings.Contains(text, "`a.yaml:1`") {
			t.Errorf("%d problems: a link is there: %v, want %v", n, got, want)
		}
	}
}
