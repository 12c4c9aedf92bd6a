package review_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/source"
)

func named(numbers ...int) (list []forge.Need) {
	for _, n := range numbers {
		list = append(list, forge.Need{Number: n, Bond: forge.Named})
	}
	return list
}

// A pull request is planned together with the pull requests that it depends on. It is planned again when those change.
func TestWhatAPullRequestDependsOnIsPlannedWithIt(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Open(2, "+b")
		head := w.Open(3, "+c")
		w.Needs(3, named(1, 2, 9)...)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "3 to create")
		if c := w.Comments(3); len(c) != 1 || !strings.Contains(c[0], string(comment.Included)) || !strings.Contains(c[0], string(comment.Foreign)) {
			t.Errorf("%q", c)
		}
		w.Open(1, "+a +d")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "4 to create")
		pull, _ := w.Forge.Pull(t.Context(), 2)
		pull.Open = false
		w.Forge.Put(pull)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "3 to create")
		if c := w.Comments(3); !strings.Contains(c[0], string(comment.Closed)) {
			t.Errorf("%q", c)
		}
		plans := w.Plans
		w.Visit()
		w.Restart()
		w.Visit()
		if w.Plans != plans+2 { // plans of the two that are open, after a start with an empty disk
			t.Errorf("%d plans while nothing changed", w.Plans-plans)
		}
	})
}

// An approval covers exactly the plan that was shown. If the pull request depends on more after that, it needs another approval.
func TestAttackADependencyGrowsAfterTheApproval(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "-a -b")
		head := w.Open(2, "-c -d")
		w.Needs(2, named(1)...)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve "+hashOf("-a -b -c -d"))
		w.Approve(2, "-a -b -c -d")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "approved")
		w.Open(1, "-a -b -e")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve "+hashOf("-a -b -e -c -d"))
	})
}

// If somebody depends on a stranger's upload, that upload is still not planned against the cloud.
func TestAttackADependencyOnAStranger(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Fork(1, "+evil")
		head := w.Open(2, "+a")
		w.Needs(2, named(1)...)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		if c := w.Comments(2); w.Plans != 1 || !strings.Contains(c[0], string(comment.Strange)) {
			t.Errorf("%d plans, %q", w.Plans, c)
		}
		asked := w.Fork(3, "+b")
		w.Needs(3, named(77, 78, 79)...)
		w.Forge.Requests()
		w.Visit()
		w.WantStatus(asked, "plan", forge.Pending, "not planned")
		for _, request := range w.Forge.Requests() {
			if strings.HasPrefix(request, "pull 7") {
				t.Errorf("a stranger makes us ask for %s", request)
			}
		}
	})
}

// Git may be newer than the forge's answer. A commit that was not checked is not planned.
func TestAttackADependencyMovesBeforeTheFetch(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		head := w.Open(2, "+b")
		w.Needs(2, named(1)...)
		merged := w.Review.Merged
		w.Review.Merged = func(ctx context.Context, head string, under ...string) (source.Merge, error) {
			m, err := merged(ctx, head, under...)
			for i := range m.Under {
				m.Under[i] = sha("moved")
			}
			return m, err
		}
		w.Visit()
		w.WantStatus(head, "plan", forge.Error, "")
		w.Review.Merged = merged
		w.Forge.AddComment(2, "ann", "/stackreeve plan")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "2 to create")
	})
}
