package comment

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// TestAnUnsignedHeadIsANote shows that a head without a signature changes the page, and not the status of the plan.
func TestAnUnsignedHeadIsANote(t *testing.T) {
	signed, unsigned := Page{Stack: "s", Plan: &plan.Plan{}}, Page{Stack: "s", Plan: &plan.Plan{}, Unsigned: "commit 12: a`b"}
	if signed.Markdown() == unsigned.Markdown() {
		t.Error("the page says nothing")
	}
	ok1, words1 := signed.Status()
	ok2, words2 := unsigned.Status()
	if ok1 != ok2 || words1 != words2 {
		t.Errorf("the status is %v %q, and without a signature %v %q", ok1, words1, ok2, words2)
	}
	unsigned.After = &report.Run{Refused: &report.Refusal{Commit: "12", Unverified: true, Problems: manifest.Problems{{What: "commit 12"}}}}
	if text := unsigned.Markdown(); strings.Contains(text, "a`b") {
		t.Error("the note stays after the merge:", text)
	}
}
