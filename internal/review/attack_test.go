package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/review"
)

const (
	large = "-a -b -c -d +new"
	small = "-a -b -c -d"
)

// wantHeld checks that the plan of a pull request is held, both before and after the merge.
func wantHeld(w *world, number int, head, text string) {
	w.Helper()
	w.Visit()
	w.WantStatus(head, "plan", forge.Failure, "approve "+hashOf(text))
	wantHeldAfterMerge(w, number, head, text)
}

func wantHeldAfterMerge(w *world, number int, head, text string) {
	w.Helper()
	commit := w.Merge(number, head)
	for _, a := range w.Branch.Approvals(w.Context(), commit) {
		if a.Covers(planOf(commit, text)) {
			w.Errorf("after the merge %+v lets through %q", a, text)
		}
	}
}

func TestAttackForcePushOfASubset(t *testing.T) {
	for name, quick := range map[string]bool{"planned again": false, "merged at once": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.Open(1, large)
				w.Visit()
				w.Approve(1, large)
				w.Visit()
				time.Sleep(time.Second)
				head := w.Open(1, small)
				if quick {
					wantHeldAfterMerge(w, 1, head, small)
					return
				}
				wantHeld(w, 1, head, small)
			})
		})
	}
}

func TestAttackTheRestOfAnotherCommit(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, large)
		w.Visit()
		w.Approve(1, large)
		w.Visit()
		commit := w.Merge(1, head)
		a := w.Branch.Approvals(w.Context(), commit)
		if len(a) != 1 || !a[0].Covers(planOf(commit, small)) {
			t.Fatalf("the rest of the very commit: %+v", a)
		}
		// The branch gets another commit, so it no longer equals the merged files.
		next := sha("pushed on top")
		w.Files[next], w.Base = small, next
		w.Forge.Merge(1, next)
		for _, a := range append(a, w.Branch.Approvals(w.Context(), next)...) {
			if a.Covers(planOf(next, small)) {
				t.Errorf("%+v lets through the rest of another commit", a)
			}
		}
	})
}

func TestAttackThereAndBackAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, large)
		w.Visit()
		w.Approve(1, large)
		w.Visit()
		time.Sleep(time.Second)
		head := w.Open(1, "-w -x -y -z")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, hashOf("-w -x -y -z"))
		time.Sleep(time.Second)
		head = w.Open(1, large) // exactly the steps that were approved
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "approved")
	})
}

func TestAttackTheBaseMoves(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, large)
		w.Visit()
		w.Approve(1, large)
		w.Visit()
		w.Gone = "+new" // the branch contains it meanwhile
		w.Repo.Outdate(time.Now())
		time.Sleep(review.Patience)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, hashOf(small))
		commit := sha("a merge of other files")
		w.Forge.Merge(1, commit)
		w.Files[commit], w.Base = small, commit
		for _, a := range w.Branch.Approvals(w.Context(), commit) {
			if a.Covers(planOf(commit, small)) {
				t.Errorf("%+v lets through a merge that nobody saw", a)
			}
		}
	})
}

func TestAttackApprovalsThatDoNotCount(t *testing.T) {
	hash := hashOf(small)
	says := func(login, text string) func(w *world) { return func(w *world) { w.Forge.AddComment(1, login, text) } }
	for name, say := range map[string]func(w *world){
		"edited into one": func(w *world) {
			c := w.Forge.AddComment(1, "ann", "Thank you!")
			w.Forge.EditComment(1, c.ID, "/stackreeve approve "+hash)
		},
		"edited after the fact": func(w *world) {
			c := w.Approve(1, small)
			w.Forge.EditComment(1, c.ID, c.Body+"\n\nor not")
		},
		"deleted": func(w *world) { w.Forge.DeleteComment(1, w.Approve(1, small).ID) },
		"of a program": func(w *world) {
			w.Forge.Allow("renovate[bot]", true)
			w.Forge.AddComment(1, "renovate[bot]", "/stackreeve approve "+hash)
		},
		"of a stranger":           says("mallory", "/stackreeve approve "+hash),
		"of who may not push":     func(w *world) { w.Approve(1, small); w.Forge.Allow("ann", false) },
		"on another pull request": func(w *world) { w.Open(2, "+b"); w.Approve(2, small) },
		"quoted by us": func(w *world) {
			w.Forge.Allow(w.Forge.Me, true)
			w.Forge.AddComment(1, w.Forge.Me, memory.Marker{Kind: memory.AnswerComment, To: 1}.String()+"\n/stackreeve approve "+hash)
		},
		"of another stack": says("ann", "/stackreeve approve "+otherStack(small)),
		"half a hash":      says("ann", "/stackreeve approve "+hash[:16]),
		"a hash and more":  says("ann", "/stackreeve approve "+hash+" no, wait"),
		"cyrillic a":       says("ann", "/st\u0430ckreeve approve "+hash),
		"kelvin":           says("ann", "/stac\u212areeve approve "+hash),
		"wide digits":      says("ann", "/stackreeve approve \uff10"+hash[1:]),
		"zero width":       says("ann", "/stackreeve approve\u200b "+hash),
		"no-break space":   says("ann", "/stackreeve\u00a0approve "+hash),
		"right to left":    says("ann", "\u202e/stackreeve approve "+hash),
		"too long a text":  says("ann", "/stackreeve approve "+hash+"\n"+strings.Repeat("x", review.LongestComment)),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				head := w.Open(1, small)
				w.Visit()
				say(w)
				wantHeld(w, 1, head, small)
			})
		})
	}
}

func otherStack(text string) string {
	p := planOf("", text)
	p.Stack = "test"
	return p.Hash()
}

func TestAttackApprovalBeforeThePlanIsShown(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		c := w.Approve(1, small) // the attacker has asked ann to paste this
		w.Visit()
		if r := w.Forge.Reactions(c.ID); len(r) != 1 || r[0] != forge.Confused {
			t.Errorf("reactions %v", r)
		}
		time.Sleep(time.Second)
		head := w.Open(1, small)
		w.Visit()
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve")
		w.Restart()
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve")
		w.Approve(1, small)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "approved")
	})
}

// Some forges let other people edit the agent's comments. The content of such a comment does not add steps to an approval.
func TestAttackAForgedMarker(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, small)
		w.Visit()
		w.Approve(1, small)
		w.Visit()
		commit := w.Merge(1, head)
		more := planOf(commit, "-a -b -c -d -e -f")
		for name, forged := range map[string]plan.Proof{
			"the steps of another plan": more.Proof(),
			"steps on top":              {Exact: planOf("", small).Proof().Exact, Steps: more.Fingerprints()},
		} {
			all, err := w.Forge.Comments(w.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			c, m, text, ok := memory.Find(all, memory.PlanComment, "prod")
			if !ok {
				t.Fatal("no plan")
			}
			m.Proof = memory.Sums{forged.Exact}
			for _, print := range forged.Steps {
				m.Proof = append(m.Proof, print)
			}
			w.Forge.EditComment(1, c.ID, m.String()+"\n"+text)
			a := w.Branch.Approvals(w.Context(), commit)
			if len(a) != 1 || a[0].Covers(more) || a[0].Covers(planOf(commit, "-e -f")) || !a[0].Covers(planOf(commit, small)) {
				t.Errorf("%s: %+v", name, a)
			}
		}
	})
}

func TestAttackAMarkerOfWhoTookOurName(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, small)
		w.Visit()
		old := w.Forge.Me
		w.Forge.Rename(old, "steward")
		m := memory.Marker{Kind: memory.PlanComment, Stack: "prod", Run: 1 << 60, Part: 1, Parts: 1, Head: head, Hash: hashOf(large), Shown: []memory.Shown{{Hash: hashOf(large)}}}
		w.Forge.AddComment(1, old, m.String()+"\nall is well")
		c := w.Approve(1, large)
		time.Sleep(2 * review.ConversationAge)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve "+hashOf(small))
		if r := w.Forge.Reactions(c.ID); len(r) != 1 || r[0] != forge.Confused || len(w.Comments(1)) != 1 {
			t.Errorf("reactions %v; comments of ours: %q", r, w.Comments(1))
		}
	})
}

// A user who may push gives up their name. Another user who takes the name may not push, even if the forge was asked a moment ago.
func TestAttackANameThatIsTakenOver(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, small)
		w.Visit()
		w.Forge.AddComment(1, "ann", "/stackreeve help")
		w.Visit()
		w.Forge.Rename("ann", "ann-lee")
		w.Approve(1, small)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve")
	})
}
