package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/review"
)

// count returns the number of requests that begin with a word.
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
		w.Open(1, "+a")
		w.Visit()
		for n := range 1000 {
			w.Forge.AddComment(1, fmt.Sprint("stranger-", n), "/stackreeve help")
		}
		w.Forge.Requests()
		for range 5 {
			w.Visit()
		}
		if n := count(w.Forge.Requests(), "right"); n > 5*review.MaxStrangers {
			t.Errorf("asked about %d people in five looks", n)
		}
		if got := w.Comments(1); len(got) != 1 {
			t.Errorf("%d comments of ours", len(got))
		}
		// A person who may push still gets an answer, some visits later.
		for range 20 {
			w.Repo.Notify(1)
			w.Visit()
		}
		c := w.Forge.AddComment(1, "ann", "/stackreeve plan")
		w.Visit()
		if r := w.Forge.Reactions(c.ID); len(r) != 1 {
			t.Errorf("reactions %v", r)
		}
	})
}

// A person who may push gets an answer soon, even if many people without that right have written before.
func TestAttackStrangersSpeakFirst(t *testing.T) {
	for _, says := range []string{"/stackreeve help", "see https://git.example/acme/stackreeve-config/pulls/3 and\n`/stackreeve help`"} {
		inWorld(t, func(w *world) {
			w.Open(1, "+a")
			for n := range 250 {
				w.Forge.AddComment(1, fmt.Sprint("stranger-", n), says)
			}
			for range 25 {
				w.Visit()
				time.Sleep(time.Minute)
			}
			asked := w.Forge.AddComment(1, "ann", "/stackreeve plan")
			for range 30 {
				w.Visit()
				time.Sleep(time.Minute)
			}
			if r := w.Forge.Reactions(asked.ID); len(r) != 1 {
				t.Errorf("reactions %v", r)
			}
			if n := count(w.Forge.Requests(), "right stranger"); n > 250 || says[0] != '/' && n > 0 {
				t.Errorf("asked about strangers %d times in an hour", n)
			}
		})
	}
}

func TestAttackStrangersHideAnApproval(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, small)
		for n := range 60 {
			w.Forge.AddComment(1, fmt.Sprint("stranger-", n), "/stackreeve help")
		}
		w.Visit()
		w.Approve(1, small)
		w.Visit()
		for n := range 60 {
			w.Forge.AddComment(1, fmt.Sprint("another-", n), "/stackreeve help")
		}
		for range 2 * review.NoneAge / time.Minute {
			w.WantStatus(head, "plan", forge.Success, "approved")
			time.Sleep(time.Minute)
			w.Visit()
		}
	})
}

func TestAttackOnePersonAsksWithoutEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		for range 500 {
			w.Forge.AddComment(1, "ann", "/stackreeve help")
		}
		w.Forge.Writes()
		w.Visit()
		if n := len(w.Forge.Writes()); n > 2*review.MaxAnswers {
			t.Errorf("%d writes to answer one person", n)
		}
		c := w.Forge.AddComment(1, "ann", "/stackreeve plan")
		planned := w.Plans
		w.Visit()
		if r := w.Forge.Reactions(c.ID); w.Plans != planned+1 || len(r) != 0 {
			t.Errorf("%d plans, reactions %v; want it done in silence", w.Plans-planned, r)
		}
		time.Sleep(review.AnswersAge)
		c = w.Forge.AddComment(1, "ann", "/stackreeve plan")
		w.Visit()
		if r := w.Forge.Reactions(c.ID); len(r) != 1 {
			t.Errorf("later: reactions %v", r)
		}
	})
}

// If a conversation is too long, only its beginning is read. The agent cannot see its own comment then, but it does not post it again and
// again.
func TestAttackAFloodOfComments(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, small)
		w.Open(2, "+b")
		for range 21 {
			w.Forge.AddComment(1, "mallory", "spam")
		}
		w.Forge.MaxComments = 20
		for range 5 {
			w.Visit()
			w.Restart()
			time.Sleep(review.ConversationAge)
		}
		w.Approve(1, small)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve")
		w.Forge.MaxComments = 0
		if got := w.Comments(1); len(got) != 0 {
			t.Errorf("%d comments of ours", len(got))
		}
		if got := w.Comments(2); len(got) != 1 {
			t.Errorf("the other one has %d comments of ours", len(got))
		}
	})
}

func TestAttackMorePullRequestsThanAreRead(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		for n := 2; n < 40; n++ {
			w.Fork(n, fmt.Sprint("+x", n))
		}
		w.Forge.MaxPulls = 20
		w.Visit()
		time.Sleep(time.Second)
		head := w.Open(1, "+a +b")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "2 to create")
	})
}

// A person who may edit the agent's comment makes it as long as the forge accepts. The outcome is still reported.
func TestAttackOurCommentIsEdited(t *testing.T) {
	for name, edit := range map[string]func(body string) string{
		"to be long": func(body string) string {
			return body + strings.Repeat("x\n", 15_000) + strings.Repeat("ü", forge.MaxComment-30_000-len(body))
		},
		"to have no marker":   func(string) string { return "nothing to see" },
		"to have half of one": func(body string) string { return body[:40] },
		"a future run": func(body string) string {
			return memory.Marker{Kind: memory.PlanComment, Stack: "prod", Run: 1<<63 - 1, Part: 1, Parts: 1}.String() + "\n" + body
		},
		"the last of many": func(body string) string {
			return memory.Marker{Kind: memory.PlanComment, Stack: "prod", Part: 1 << 40, Parts: -1}.String() + "\n" + body
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				head := w.Open(1, "+a")
				w.Visit()
				all, err := w.Forge.Comments(w.Context(), 1)
				if err != nil || len(all) != 1 {
					t.Fatal(all, err)
				}
				w.Forge.EditComment(1, all[0].ID, edit(all[0].Body))
				commit := w.Merge(1, head)
				w.Pass(commit, planOf(commit, "+a"), planOf(commit, "a"))
				w.Visit()
				w.WantStatus(commit, "sync", forge.Success, "in sync")
				got := strings.Join(w.Comments(1), "")
				if !strings.Contains(got, "in sync") {
					t.Errorf("the outcome is not reported: %.300q", got)
				}
			})
		})
	}
}

func TestAttackOurCommentIsDeleted(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, small)
		w.Visit()
		w.Approve(1, small)
		w.Visit()
		all, err := w.Forge.Comments(w.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		w.Forge.DeleteComment(1, all[0].ID)
		commit := w.Merge(1, head)
		for _, a := range w.Branch.Approvals(w.Context(), commit) {
			if a.Covers(planOf(commit, "-a -b")) {
				t.Errorf("%+v: nobody knows any more what was approved", a)
			}
		}
		w.Restart()
		held := planOf(commit, small)
		w.Pass(commit, held, held)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Failure, "held: approve "+held.Hash())
		w.Approve(1, small)
		w.Visit()
		if a := w.Branch.Approvals(w.Context(), commit); len(review.Covering(a, held)) != 1 || w.Again == 0 {
			t.Errorf("approved again: %+v", a)
		}
	})
}
