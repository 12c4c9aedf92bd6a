package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// An outline has the same content as the text, with words instead of symbols and without hints at flags.
func TestOutline(t *testing.T) {
	o := OutlineOf(story(), preflight.Findings{}, 1<<20)
	var text strings.Builder
	if err := JSON(&text, o); err != nil {
		t.Fatal(err)
	}
	golden(t, "outline.json", text.String())
	if strings.Contains(text.String(), "-v") {
		t.Error("it speaks of a flag")
	}
	if o = OutlineOf(story(), preflight.Findings{}, 200); o.More == 0 || len(o.Blocks) == 0 {
		t.Errorf("%d blocks, and %d more", len(o.Blocks), o.More)
	}
	if _, err := json.Marshal(o); err != nil {
		t.Error(err)
	}
}
