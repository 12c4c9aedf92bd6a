package review_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/source"
)

func TestAttackForksAreNotGreen(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Fork(1, "+a")
		for range 3 {
			w.Visit()
			w.Restart()
		}
		w.Forge.AddComment(1, "mallory", "/stackreeve plan")
		w.Forge.AddComment(1, "mallory", "/stackreeve plan "+head)
		w.Visit()
		w.WantStatus(head, "plan", forge.Pending, "not planned: it comes from a fork")
		if c, ok := w.Forge.Check(head, "stackreeve/prod"); !ok || c.State != forge.Pending {
			t.Errorf("the check run: %+v", c)
		}
		if got := w.Comments(1); w.Plans != 0 || len(got) != 1 || !strings.Contains(got[0], "/stackreeve plan "+head) || strings.Contains(got[0], "merge it") {
			t.Errorf("%d plans, comments %q", w.Plans, got)
		}
	})
}

func TestAttackAForkIsPlannedAtTheCommitThatWasAskedFor(t *testing.T) {
	for name, words := range map[string]func(head string) string{
		"named": func(head string) string { return "/stackreeve plan " + head },
		"shown": func(string) string { return "/stackreeve plan" },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				head := w.Fork(1, "+a")
				w.Visit()
				w.Forge.AddComment(1, "ann", words(head))
				w.Visit()
				w.WantStatus(head, "plan", forge.Success, "1 to create")
				w.Restart()
				w.Visit()
				w.WantStatus(head, "plan", forge.Success, "1 to create")
				planned := w.Plans
				time.Sleep(time.Second)
				pushed := w.Fork(1, "+evil")
				w.Visit()
				w.Restart()
				w.Visit()
				w.WantStatus(pushed, "plan", forge.Pending, "not planned")
				if w.Plans != planned {
					t.Error("what was pushed later was planned")
				}
			})
		})
	}
}

// A push arrives between the time when a person has read the page and the person's command, or during the fetch.
func TestAttackAPushWhileAForkIsAskedFor(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Fork(1, "+a")
		w.Visit()
		pushed := w.Fork(1, "+evil")
		w.Forge.AddComment(1, "ann", "/stackreeve plan")
		w.Visit()
		w.Visit()
		w.WantStatus(pushed, "plan", forge.Pending, "not planned")
		w.Forge.AddComment(1, "ann", "/stackreeve plan "+pushed)
		merged, worse := w.Review.Merged, sha("worse")
		w.Files[worse] = "+worse"
		w.Review.Merged = func(ctx context.Context, _ string, _ ...string) (source.Merge, error) { return merged(ctx, worse) }
		w.Visit()
		if w.Plans != 0 {
			t.Errorf("%d plans", w.Plans)
		}
	})
}

// A commit that a person with the right to push has pushed is trusted, even if a stranger opens another pull request with it. Neither pull
// request removes the status of the other.
func TestAttackTheSameHeadFromAFork(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		pull, err := w.Forge.Pull(w.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		pull.Number, pull.Fork = 2, true
		w.Forge.Put(pull)
		w.Visit()
		w.Restart()
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		// Once the trusted pull request is closed, the commit is not trusted any more.
		pull.Number, pull.Fork, pull.Open = 1, false, false
		w.Forge.Put(pull)
		w.Visit()
		w.WantStatus(head, "plan", forge.Pending, "not planned")
	})
}

func TestAttackNamesInACheckRun(t *testing.T) {
	inWorld(t, func(w *world) {
		w.CloudErr = errors.New("@acme/admins approved [this](https://evil.example) ![x](y) <b>")
		head := w.Open(1, "+a")
		w.Visit()
		c, ok := w.Forge.Check(head, "stackreeve/prod")
		if inner := strings.Trim(c.Summary, "`"); !ok || c.Summary != "`"+inner+"`" || strings.Contains(inner, "`") {
			t.Errorf("the summary is Markdown: %q", c.Summary)
		}
	})
}
