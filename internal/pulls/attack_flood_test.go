package pulls

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// count is how many requests begin with a word.
func count(requests []string, word string) (n int) {
	for _, r := range requests {
		if strings.HasPrefix(r, word) {
			n++
		}
	}
	return n
}

func TestAttackStrangersAskForHelp(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		for n := range 1000 {
			w.forge.Say(1, fmt.Sprint("stranger-", n), "/stackreeve help")
		}
		w.forge.Requests()
		for range 5 {
			w.look()
		}
		if n := count(w.forge.Requests(), "right"); n > 5*mostStrangers {
			t.Errorf("asked about %d people in five looks", n)
		}
		if got := w.comments(1); len(got) != 1 {
			t.Errorf("%d comments of ours", len(got))
		}
		// Who may push is heard all the same, some looks later.
		for range 20 {
			w.repo.Heard(1)
			w.look()
		}
		c := w.forge.Say(1, "ann", "/stackreeve plan")
		w.look()
		if r := w.forge.Reactions(c.ID); len(r) != 1 {
			t.Errorf("reactions %v", r)
		}
	})
}

func TestAttackOnePersonAsksWithoutEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		for range 500 {
			w.forge.Say(1, "ann", "/stackreeve help")
		}
		w.forge.Writes()
		w.look()
		if n := len(w.forge.Writes()); n > 2*mostAnswers {
			t.Errorf("%d writes to answer one person", n)
		}
		c := w.forge.Say(1, "ann", "/stackreeve plan")
		planned := w.plans
		w.look()
		if r := w.forge.Reactions(c.ID); w.plans != planned+1 || len(r) != 0 {
			t.Errorf("%d plans, reactions %v; want it done in silence", w.plans-planned, r)
		}
		time.Sleep(answersAge)
		c = w.forge.Say(1, "ann", "/stackreeve plan")
		w.look()
		if r := w.forge.Reactions(c.ID); len(r) != 1 {
			t.Errorf("later: reactions %v", r)
		}
	})
}

// Of a conversation that is too long the beginning is read; nothing is posted
// there again and again because what was posted is not seen.
func TestAttackAFloodOfComments(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, small)
		w.open(2, "+b")
		for range 21 {
			w.forge.Say(1, "mallory", "spam")
		}
		w.forge.MostComments = 20
		for range 5 {
			w.look()
			w.restart()
			time.Sleep(talkAge)
		}
		w.approve(1, small)
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve")
		w.forge.MostComments = 0
		if got := w.comments(1); len(got) != 0 {
			t.Errorf("%d comments of ours", len(got))
		}
		if got := w.comments(2); len(got) != 1 {
			t.Errorf("the other one has %d comments of ours", len(got))
		}
	})
}

func TestAttackMorePullRequestsThanAreRead(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		for n := 2; n < 40; n++ {
			w.fork(n, fmt.Sprint("+x", n))
		}
		w.forge.MostPulls = 20
		w.look()
		time.Sleep(time.Second)
		head := w.open(1, "+a +b")
		w.look()
		w.wantStatus(head, "plan", forge.Success, "2 to create")
	})
}

// Somebody who may edit our comment makes it as long as the forge takes: the
// outcome is told all the same.
func TestAttackOurCommentIsEdited(t *testing.T) {
	for name, edit := range map[string]func(body string) string{
		"to be long": func(body string) string {
			return body + strings.Repeat("x\n", 15_000) + strings.Repeat("ü", forge.MaxComment-30_000-len(body))
		},
		"to have no marker":   func(string) string { return "nothing to see" },
		"to have half of one": func(body string) string { return body[:40] },
		"to be of a run to come": func(body string) string {
			return forge.Marker{Kind: planKind, Stack: "prod", Run: 1<<63 - 1, Part: 1, Parts: 1}.String() + "\n" + body
		},
		"to be the last of a lot": func(body string) string {
			return forge.Marker{Kind: planKind, Stack: "prod", Part: 1 << 40, Parts: -1}.String() + "\n" + body
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				head := w.open(1, "+a")
				w.look()
				all, err := w.forge.Comments(w.Context(), 1)
				if err != nil || len(all) != 1 {
					t.Fatal(all, err)
				}
				w.forge.Resay(1, all[0].ID, edit(all[0].Body))
				commit := w.merge(1, head)
				w.pass(commit, planOf(commit, "+a"), planOf(commit, "a"))
				w.look()
				w.wantStatus(commit, "sync", forge.Success, "in sync")
				got := strings.Join(w.comments(1), "")
				if !strings.Contains(got, "in sync") {
					t.Errorf("the outcome is not told: %.300q", got)
				}
			})
		})
	}
}

func TestAttackOurCommentIsDeleted(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, small)
		w.look()
		w.approve(1, small)
		w.look()
		all, err := w.forge.Comments(w.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		w.forge.Unsay(1, all[0].ID)
		commit := w.merge(1, head)
		for _, a := range w.stack.Approvals(w.Context(), commit) {
			if a.Covers(planOf(commit, "-a -b")) {
				t.Errorf("%+v: nobody knows any more what was approved", a)
			}
		}
		w.restart()
		held := planOf(commit, small)
		w.pass(commit, held, held)
		w.look()
		w.wantStatus(commit, "sync", forge.Failure, "held: approve "+held.Hash())
		w.approve(1, small)
		w.look()
		if a := w.stack.Approvals(w.Context(), commit); len(covering(a, held)) != 1 || w.again == 0 {
			t.Errorf("approved again: %+v", a)
		}
	})
}
