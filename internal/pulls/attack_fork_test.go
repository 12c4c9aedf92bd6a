package pulls

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// fork makes a pull request come from one.
func (w *world) fork(number int, text string) (head string) {
	head = w.open(number, text)
	pull, err := w.forge.Pull(w.Context(), number)
	if err != nil {
		w.Fatal(err)
	}
	pull.Fork = true
	w.forge.Put(pull)
	return head
}

func TestAttackForksAreNotGreen(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.fork(1, "+a")
		for range 3 {
			w.look()
			w.restart()
		}
		w.forge.Say(1, "mallory", "/stackreeve plan")
		w.forge.Say(1, "mallory", "/stackreeve plan "+head)
		w.look()
		w.wantStatus(head, "plan", forge.Pending, "not planned: it comes from a fork")
		if c, ok := w.forge.Check(head, "stackreeve/prod"); !ok || c.State != forge.Pending {
			t.Errorf("the check run: %+v", c)
		}
		if got := w.comments(1); w.plans != 0 || len(got) != 1 || !strings.Contains(got[0], "/stackreeve plan "+head) || strings.Contains(got[0], "merge it") {
			t.Errorf("%d plans, comments %q", w.plans, got)
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
				head := w.fork(1, "+a")
				w.look()
				w.forge.Say(1, "ann", words(head))
				w.look()
				w.wantStatus(head, "plan", forge.Success, "1 to create")
				w.restart()
				w.look()
				w.wantStatus(head, "plan", forge.Success, "1 to create")
				planned := w.plans
				time.Sleep(time.Second)
				pushed := w.fork(1, "+evil")
				w.look()
				w.restart()
				w.look()
				w.wantStatus(pushed, "plan", forge.Pending, "not planned")
				if w.plans != planned {
					t.Error("what was pushed later was planned")
				}
			})
		})
	}
}

// The push comes between what somebody looked at and what they say, or while it
// is fetched.
func TestAttackAPushWhileAForkIsAskedFor(t *testing.T) {
	inWorld(t, func(w *world) {
		w.fork(1, "+a")
		w.look()
		pushed := w.fork(1, "+evil")
		w.forge.Say(1, "ann", "/stackreeve plan")
		w.look()
		w.look()
		w.wantStatus(pushed, "plan", forge.Pending, "not planned")
		w.forge.Say(1, "ann", "/stackreeve plan "+pushed)
		merged, worse := w.stack.Merged, sha("worse")
		w.files[worse] = "+worse"
		w.stack.Merged = func(ctx context.Context, _ string) (sourceMerge, error) { return merged(ctx, worse) }
		w.look()
		if w.plans != 0 {
			t.Errorf("%d plans", w.plans)
		}
	})
}

// A commit that somebody who may push has pushed is no stranger's, whoever asks
// for it to be merged, too: neither takes the other's status away.
func TestAttackTheSameHeadFromAFork(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		pull, err := w.forge.Pull(w.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		pull.Number, pull.Fork = 2, true
		w.forge.Put(pull)
		w.look()
		w.restart()
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		// Once the other is gone, nobody vouches for it.
		pull.Number, pull.Fork, pull.Open = 1, false, false
		w.forge.Put(pull)
		w.look()
		w.wantStatus(head, "plan", forge.Pending, "not planned")
	})
}

func TestAttackNamesInACheckRun(t *testing.T) {
	inWorld(t, func(w *world) {
		w.cloudErr = errors.New("@acme/admins approved [this](https://evil.example) ![x](y) <b>")
		head := w.open(1, "+a")
		w.look()
		c, ok := w.forge.Check(head, "stackreeve/prod")
		if inner := strings.Trim(c.Summary, "`"); !ok || c.Summary != "`"+inner+"`" || strings.Contains(inner, "`") {
			t.Errorf("the summary is Markdown: %q", c.Summary)
		}
	})
}
