package pulls

import (
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const (
	large = "-a -b -c -d +new"
	small = "-a -b -c -d"
)

func hashOf(text string) string { return planOf("", text).Hash() }

// approve says that a plan may go on.
func (w *world) approve(number int, text string) forge.Comment {
	return w.forge.Say(number, "ann", "/stackreeve approve "+hashOf(text))
}

// wantHeld wants a pull request not to be let through, nor what it becomes when
// it is merged.
func (w *world) wantHeld(number int, head, text string) {
	w.Helper()
	w.look()
	w.wantStatus(head, "plan", forge.Failure, "approve "+hashOf(text))
	w.wantHeldAfterMerge(number, head, text)
}

func (w *world) wantHeldAfterMerge(number int, head, text string) {
	w.Helper()
	commit := w.merge(number, head)
	for _, a := range w.stack.Approvals(w.Context(), commit) {
		if a.Covers(planOf(commit, text)) {
			w.Errorf("after the merge %+v lets through %q", a, text)
		}
	}
}

func TestAttackForcePushOfASubset(t *testing.T) {
	for name, quick := range map[string]bool{"planned again": false, "merged at once": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.open(1, large)
				w.look()
				w.approve(1, large)
				w.look()
				time.Sleep(time.Second)
				head := w.open(1, small)
				if quick {
					w.wantHeldAfterMerge(1, head, small)
					return
				}
				w.wantHeld(1, head, small)
			})
		})
	}
}

func TestAttackTheRestOfAnotherCommit(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, large)
		w.look()
		w.approve(1, large)
		w.look()
		commit := w.merge(1, head)
		a := w.stack.Approvals(w.Context(), commit)
		if len(a) != 1 || !a[0].Covers(planOf(commit, small)) {
			t.Fatalf("the rest of the very commit: %+v", a)
		}
		// The branch goes on: what was merged is not what is there.
		next := sha("pushed on top")
		w.files[next], w.base = small, next
		w.forge.Merge(1, next)
		for _, a := range append(a, w.stack.Approvals(w.Context(), next)...) {
			if a.Covers(planOf(next, small)) {
				t.Errorf("%+v lets through the rest of another commit", a)
			}
		}
	})
}

func TestAttackThereAndBackAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, large)
		w.look()
		w.approve(1, large)
		w.look()
		time.Sleep(time.Second)
		head := w.open(1, "-w -x -y -z")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, hashOf("-w -x -y -z"))
		time.Sleep(time.Second)
		head = w.open(1, large) // the very steps that were approved
		w.look()
		w.wantStatus(head, "plan", forge.Success, "approved")
	})
}

func TestAttackTheBaseMoves(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, large)
		w.look()
		w.approve(1, large)
		w.look()
		w.gone = "+new" // the branch has it meanwhile
		w.repo.Moved(time.Now())
		time.Sleep(patience)
		w.look()
		w.wantStatus(head, "plan", forge.Failure, hashOf(small))
		commit := sha("a merge of other files")
		w.forge.Merge(1, commit)
		w.files[commit], w.base = small, commit
		for _, a := range w.stack.Approvals(w.Context(), commit) {
			if a.Covers(planOf(commit, small)) {
				t.Errorf("%+v lets through a merge that nobody saw", a)
			}
		}
	})
}

func TestAttackApprovalsThatDoNotCount(t *testing.T) {
	hash := hashOf(small)
	says := func(login, text string) func(w *world) { return func(w *world) { w.forge.Say(1, login, text) } }
	for name, say := range map[string]func(w *world){
		"edited into one": func(w *world) {
			c := w.forge.Say(1, "ann", "Thank you!")
			w.forge.Resay(1, c.ID, "/stackreeve approve "+hash)
		},
		"edited after the fact": func(w *world) {
			c := w.approve(1, small)
			w.forge.Resay(1, c.ID, c.Body+"\n\nor not")
		},
		"deleted": func(w *world) { w.forge.Unsay(1, w.approve(1, small).ID) },
		"of a program": func(w *world) {
			w.forge.Allow("renovate[bot]", true)
			w.forge.Say(1, "renovate[bot]", "/stackreeve approve "+hash)
		},
		"of a stranger":           says("mallory", "/stackreeve approve "+hash),
		"of who may not push":     func(w *world) { w.approve(1, small); w.forge.Allow("ann", false) },
		"on another pull request": func(w *world) { w.open(2, "+b"); w.approve(2, small) },
		"quoted by us": func(w *world) {
			w.forge.Allow(w.forge.Me, true)
			w.forge.Say(1, w.forge.Me, forge.Marker{Kind: answerKind, To: 1}.String()+"\n/stackreeve approve "+hash)
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
		"too long a text":  says("ann", "/stackreeve approve "+hash+"\n"+strings.Repeat("x", longestComment)),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				head := w.open(1, small)
				w.look()
				say(w)
				w.wantHeld(1, head, small)
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
		w.open(1, "+a")
		w.look()
		c := w.approve(1, small) // "please paste this"
		w.look()
		if r := w.forge.Reactions(c.ID); len(r) != 1 || r[0] != forge.Confused {
			t.Errorf("reactions %v", r)
		}
		time.Sleep(time.Second)
		head := w.open(1, small)
		w.look()
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve")
		w.restart()
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve")
		w.approve(1, small)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "approved")
	})
}

// Forges let others edit our comments. What they hold adds no step to an approval.
func TestAttackAForgedMarker(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, small)
		w.look()
		w.approve(1, small)
		w.look()
		commit := w.merge(1, head)
		more := planOf(commit, "-a -b -c -d -e -f")
		for name, forged := range map[string]plan.Proof{
			"the steps of another plan": more.Proof(),
			"steps on top":              {Exact: planOf("", small).Proof().Exact, Steps: more.Fingerprints()},
		} {
			all, err := w.forge.Comments(w.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			c, m, text, ok := forge.Find(all, planKind, "prod")
			if !ok {
				t.Fatal("no plan")
			}
			m.Exact, m.Steps = forged.Exact, forged.Steps
			w.forge.Resay(1, c.ID, m.String()+"\n"+text)
			a := w.stack.Approvals(w.Context(), commit)
			if len(a) != 1 || a[0].Covers(more) || a[0].Covers(planOf(commit, "-e -f")) || !a[0].Covers(planOf(commit, small)) {
				t.Errorf("%s: %+v", name, a)
			}
		}
	})
}

func TestAttackAMarkerOfWhoTookOurName(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, small)
		w.look()
		old := w.forge.Me
		w.forge.Rename(old, "steward")
		m := forge.Marker{Kind: planKind, Stack: "prod", Run: 1 << 60, Part: 1, Parts: 1, Head: head, Hash: hashOf(large), Shown: []forge.Shown{{Hash: hashOf(large)}}}
		w.forge.Say(1, old, m.String()+"\nall is well")
		c := w.approve(1, large)
		time.Sleep(2 * talkAge)
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve "+hashOf(small))
		if r := w.forge.Reactions(c.ID); len(r) != 1 || r[0] != forge.Confused || len(w.comments(1)) != 1 {
			t.Errorf("reactions %v; comments of ours: %q", r, w.comments(1))
		}
	})
}

// Somebody gives up a name that may push; who takes it may not, though the forge
// was asked a moment ago.
func TestAttackANameThatIsTakenOver(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, small)
		w.look()
		w.forge.Say(1, "ann", "/stackreeve help")
		w.look()
		w.forge.Rename("ann", "ann-lee")
		w.approve(1, small)
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve")
	})
}

func TestAttackForgedStatusesAreNotBelieved(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.merge(1, w.open(1, "+a"))
		sync := forge.Status{Context: "stackreeve/prod/sync", State: forge.Success, Description: "in sync: 9 objects"}
		w.forge.SetAs("mallory", commit, sync)
		if w.stack.WasSynced(w.Context(), commit) {
			t.Error("a status of somebody else's makes a commit applied")
		}
		done := planOf(commit, "a")
		w.pass(commit, planOf(commit, "+a"), done)
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync: 10 objects")
		// One that hides ours takes nothing from it, and is hidden in turn.
		sync.State, sync.Description = forge.Failure, "broken"
		w.forge.SetAs("mallory", commit, sync)
		w.restart()
		if !w.stack.WasSynced(w.Context(), commit) {
			t.Error("a status of somebody else's makes a commit not applied")
		}
		w.pass(commit, done, done)
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync: 10 objects")
		w.forge.Writes()
		for range 3 {
			w.pass(commit, done, done)
			w.look()
		}
		if writes := w.forge.Writes(); len(writes) > 0 {
			t.Errorf("%q was written without news", writes)
		}
	})
}

func TestAttackAForgedDriftStatusLeadsNowhere(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		w.open(7, "+b")
		w.forge.SetAs("mallory", commit, forge.Status{Context: "stackreeve/prod/drift", State: forge.Failure, Description: "drifted", URL: "https://forge.example/pull/7#x"})
		w.restart()
		w.stack.WasSynced(w.Context(), commit)
		w.forge.Requests()
		fine := planOf(commit, "a")
		w.pass(commit, fine, fine)
		w.repo.Outbox.Flush(w.Context())
		for _, request := range w.forge.Requests() {
			if request == "comments 7" {
				t.Error("a status of somebody else's leads to a pull request")
			}
		}
	})
}
