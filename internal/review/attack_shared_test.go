package review_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// There are two pull requests with the same commit. One of them is now for another branch, so it changes nothing of the stack. The other one
// keeps its plan.
func TestAttackTheSameHeadAsksForAnotherBranch(t *testing.T) {
	for name, change := range map[string]func(*forge.Pull){
		"a plan that is held": func(*forge.Pull) {},
		"a fork":              func(p *forge.Pull) { p.Fork = true },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				head := w.Open(1, "-a -b -c -d")
				pull, err := w.Forge.Pull(w.Context(), 1)
				if err != nil {
					t.Fatal(err)
				}
				change(&pull)
				w.Forge.Put(pull)
				pull.Number = 2
				w.Forge.Put(pull)
				w.Visit()
				before := w.Status(head, "plan")
				if before.State == forge.Success {
					t.Fatalf("the plan is %+v", before)
				}
				pull.Base = "dev"
				w.Forge.Put(pull)
				w.Visit()
				w.WantStatus(head, "plan", before.State, before.Description)
				if got := w.Comments(2); len(got) != 1 || got[0] == w.Comments(1)[0] {
					t.Errorf("the pull request into another branch says %q", got)
				}
			})
		})
	}
}
