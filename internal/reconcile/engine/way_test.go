package engine

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A change with a chosen way may stop a machine, so a pass requests it only once. The next pass
// requests it again.
func TestAWayThatFailsIsTriedOnceInAPass(t *testing.T) {
	w := thingtest.New()
	w.Stubborn = map[string]bool{"a": true}
	if pass, _ := syncPass(t, w, engineOf(w), "a weight=light change-policy=weight=trim"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	for range 2 {
		before := w.Writes
		pass, _ := syncPass(t, w, engineOf(w), "a weight=heavy change-policy=weight=trim")
		if got := failed(pass); !strings.Contains(got, " spec.resource.weight by trim, ") {
			t.Errorf("failures: %s", got)
		}
		if n := w.Writes - before; n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	}
	w.Stubborn = nil
	if pass, _ := syncPass(t, w, engineOf(w), "a weight=heavy change-policy=weight=trim"); pass.Outcome() != plan.InSync {
		t.Error(failed(pass))
	}
}
