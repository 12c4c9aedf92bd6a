package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// picky creates a flock whose members do not serve if they have the shape bad.
func picky(t *testing.T, bad string) *herd {
	t.Helper()
	h := newHerd()
	h.Delay, h.roll = 1, ", asked: true, late: 300, back: true"
	h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
		if h.called(address).Shape == bad {
			return errors.New("status 503")
		}
		return nil
	}
	if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	return h
}

func (h *herd) shapes() string {
	var all []string
	for i := range 3 {
		all = append(all, h.called(fmt.Sprintf("sheep-%d", i)).Shape)
	}
	return strings.Join(all, " ")
}

// wentBack reports whether the flock is at an earlier commit after a pass, because a member did not serve.
func wentBack(p Pass, commit, member string) bool {
	return failedFor(p, "sheep", cause.WentBack) && len(p.Last.Fallbacks) == 1 && p.Last.Fallbacks[0].Commit == commit && p.Last.Fallbacks[0].Member.Name == member
}

// A group whose change fails goes back to the commit of its other members. It stays at that commit, and the pass reports it,
// until the manifest changes.
func TestAGroupGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		h.watch(3)
		pass := h.sync(t, 3, "flat")
		if pass.Outcome() != plan.Broken || h.shapes() != "flat round round" {
			t.Fatalf("%s: %s; %s", pass.Outcome(), h.shapes(), failed(pass))
		}
		for range 3 {
			pass = h.sync(t, 3, "flat")
			if pass.Outcome() != plan.Broken || h.shapes() != "round round round" || !wentBack(pass, "commit-0", "sheep-0") {
				t.Fatalf("%s: %s; %s", pass.Outcome(), h.shapes(), failed(pass))
			}
		}
		if is := states(pass, h)["sheep"]; is != status.StateFailed {
			t.Errorf("the status says %s", is)
		}
		if len(pass.Results) > 0 || h.fewest < 2 {
			t.Errorf("it is not left there: %v; %d served", pass.Results, h.fewest)
		}
		h.past = h.past[:1]
		if pass := h.sync(t, 3, "oval"); pass.Outcome() != plan.InSync || h.shapes() != "oval oval oval" {
			t.Errorf("then: %s: %s; %s", pass.Outcome(), h.shapes(), failed(pass))
		}
	})
}

// A group cannot go back if no commit describes the state of its other members. A new process without memory searches the history
// again.
func TestAGroupThatCannotGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		h.past = nil
		for range 3 {
			if pass := h.sync(t, 3, "flat"); h.shapes() != "flat round round" || !failedFor(pass, "sheep-0", cause.Tried) {
				t.Fatalf("%s; %s", h.shapes(), failed(pass))
			}
			h.past = nil
		}
		h.broken = errors.New("no way to the repository")
		h.engine.Memory = &memory.Memory{}
		if pass := h.sync(t, 3, "flat"); !failedFor(pass, "sheep", cause.NoHistory) {
			t.Error(failed(pass))
		}
	})
}

// If no other member serves, the group does not go back.
func TestAGroupOfWhichNoneServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		h.engine.Probe = func(context.Context, string, rollout.Probe) error { return errors.New("status 503") }
		time.Sleep(time.Hour)
		h.sync(t, 3, "flat")
		h.sync(t, 3, "flat")
		if got := h.shapes(); strings.Count(got, "flat") != 1 {
			t.Error(got)
		}
	})
}

// The brake limits a rollback like any other change, and a rollback can be approved.
func TestGoingBackIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		h.sync(t, 3, "flat")
		h.engine.Limits = nothing
		if pass := h.sync(t, 3, "flat"); pass.First.Held == nil || h.shapes() != "flat round round" {
			t.Errorf("%q: %s", pass.First.Held, h.shapes())
		}
	})
}

// If the last changed member of a group does not serve, the stack is not in sync, although no other member waits for it.
func TestTheLastMemberHasToServe(t *testing.T) {
	for name, c := range map[string]struct {
		count       int
		roll, shape string
	}{
		"of one":                  {1, "", "flat"},
		"the last in their order": {3, "", "flat flat flat"},
		"above a partition":       {3, ", from: 2", "round round flat"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHerd()
				h.Delay, h.roll = 1, ", asked: true, late: 300"+c.roll
				last := fmt.Sprintf("sheep-%d", c.count-1)
				h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
					if address == last && h.called(address).Shape == "flat" {
						return errors.New("status 503")
					}
					return nil
				}
				if pass := h.sync(t, c.count, "round"); pass.Outcome() != plan.InSync {
					t.Fatal(failed(pass))
				}
				for range 2 {
					began := time.Now()
					pass := h.sync(t, c.count, "flat")
					if pass.Outcome() != plan.Broken || len(pass.Failures) != 1 || !failedFor(pass, last, cause.Tried) {
						t.Errorf("%s: %s", pass.Outcome(), failed(pass))
					}
					if took := time.Since(began); took > 6*time.Minute {
						t.Errorf("it is waited for for %s", took)
					}
				}
				asked := h.engine.Probe
				h.engine = engineWith(h)
				h.engine.Probe = asked
				if pass := h.sync(t, c.count, "flat"); pass.Outcome() != plan.Broken {
					t.Errorf("another agent: %s", pass.Outcome())
				}
			})
		})
	}
}

// A member that has served for a long time may stop serving while others are changed. It gets as much time to serve again as a
// member that was just changed.
func TestAMemberThatCeasedToServeIsGivenTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay = 1
		var until time.Time
		h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			if address == "sheep-2" && time.Now().Before(until) {
				return errors.New("status 503")
			}
			return nil
		}
		for _, step := range []struct{ from, shape string }{{"0", "round"}, {"2", "flat"}} {
			h.roll = ", asked: true, late: 300, back: true, from: " + step.from
			if pass := h.sync(t, 3, step.shape); pass.Outcome() != plan.InSync {
				t.Fatal(failed(pass))
			}
		}
		time.Sleep(time.Hour)
		h.sync(t, 3, "flat") // in this pass, the member serves
		until, h.roll = time.Now().Add(2*time.Minute), ", asked: true, late: 300, back: true"
		for range 2 {
			if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync || h.shapes() != "flat flat flat" {
				t.Errorf("%s: %s; %s", pass.Outcome(), h.shapes(), failed(pass))
			}
		}
	})
}

// A group can also go back to the state of members that a partition had frozen.
func TestAGroupGoesBackToWhatAPartitionLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		h.roll += ", from: 2"
		h.sync(t, 3, "flat")
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.Broken || h.shapes() != "round round round" {
			t.Errorf("%s: %s; %s", pass.Outcome(), h.shapes(), failed(pass))
		}
	})
}

// The next agent finds out from the cloud and the repository that a group went back. It does not try the change on a member
// again. If a commit undoes the change and another one makes it again, it is tried again.
func TestAnotherAgentLeavesAGroupWhereItWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		asked := h.engine.Probe
		restart := func() {
			h.engine = engineWith(h)
			h.engine.Probe = asked
		}
		if pass := h.sync(t, 3, "flat"); !pass.RollsBack {
			t.Fatalf("it does not go back: %s", failed(pass))
		}
		h.sync(t, 3, "flat")
		for range 3 {
			restart()
			h.watch(3)
			pass := h.sync(t, 3, "flat")
			if pass.Outcome() != plan.Broken || h.shapes() != "round round round" || len(pass.Results) > 0 || !wentBack(pass, "commit-0", "sheep-0") {
				t.Fatalf("%s: %s; %s; %v", pass.Outcome(), h.shapes(), failed(pass), pass.Results)
			}
		}
		restart()
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync || pass.Drifted() > 0 || h.called("sheep-0").Mark.Refused != "" {
			t.Errorf("undone: %s, %d drifted, %+v", failed(pass), pass.Drifted(), h.called("sheep-0").Mark)
		}
		restart()
		if h.sync(t, 3, "flat"); h.shapes() != "flat round round" {
			t.Errorf("it is not tried again: %s", h.shapes())
		}
		restart()
		if pass := h.sync(t, 3, "oval"); pass.Outcome() != plan.InSync || h.shapes() != "oval oval oval" {
			t.Errorf("then: %s: %s; %s", pass.Outcome(), h.shapes(), failed(pass))
		}
	})
}

// The history is searched once for each failed state of a group, even if several members do not serve. No later pass repeats the
// search.
func TestTheHistoryIsSearchedOnce(t *testing.T) {
	for name, forget := range map[string]bool{"nothing to go back to": true, "a way back": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHerd()
				h.Delay, h.roll = 1, ", asked: true, late: 300, back: true, down: 2, own: true"
				h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
					if h.called(address).Shape == "flat" {
						return errors.New("status 503")
					}
					return nil
				}
				if pass := h.sync(t, 4, "round"); pass.Outcome() != plan.InSync {
					t.Fatal(failed(pass))
				}
				for range 3 {
					if forget {
						h.past = nil
					}
					h.sync(t, 4, "flat")
				}
				if h.looked != 1 {
					t.Errorf("it is searched %d times", h.looked)
				}
				if want := map[bool]string{true: "flat flat round", false: "round round round"}[forget]; h.shapes() != want {
					t.Errorf("they are %s, want %s", h.shapes(), want)
				}
			})
		})
	}
}

// A group that went back gets no additional members before its template is corrected, and its message says so. Until then,
// objects that refer to the additional members exist without these references, and later that is no drift.
func TestAGroupThatWentBackGetsNoFurtherMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		front := func(near string) string { return "\n---\n" + thingtest.Manifest("dog near="+near) }
		h.around = front("sheep-0,sheep-1,sheep-2")
		h.sync(t, 3, "flat")
		h.sync(t, 3, "flat")
		h.around = front("sheep-0,sheep-1,sheep-2,sheep-3")
		for i := range 3 {
			pass := h.sync(t, 4, "flat")
			if back := pass.Last.Fallbacks; !wentBack(pass, "commit-0", "sheep-0") || len(back[0].NewMembers) != 1 || back[0].NewMembers[0].Name != "sheep-3" {
				t.Errorf("%s: %s", pass.Outcome(), failed(pass))
			}
			if h.called("sheep-3") != nil || h.shapes() != "round round round" || len(h.called("dog").Near) != 3 || i > 0 && len(pass.Results) > 0 {
				t.Errorf("%s, %v; the dog is near %v: %v", h.shapes(), h.Names(), h.called("dog").Near, pass.Results)
			}
		}
		h.past = h.past[:1]
		if pass := h.sync(t, 4, "oval"); pass.Outcome() != plan.InSync || pass.Drifted() > 0 || h.shapes() != "oval oval oval" || len(h.called("dog").Near) != 4 {
			t.Errorf("then: %s, %d drifted: %s, near %v; %s", pass.Outcome(), pass.Drifted(), h.shapes(), h.called("dog").Near, failed(pass))
		}
	})
}

// During a rollback, the strategy of the earlier commit says how many members may be interrupted at the same time. Spares that
// only the later strategy allows are not created.
func TestAGroupGoesBackByTheAmountsOfThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			if address == "sheep-1" && h.called(address).Shape == "flat" {
				return errors.New("status 503")
			}
			return nil
		}
		h.roll += ", surge: 1"
		if h.sync(t, 3, "flat"); h.shapes() != "flat flat round" {
			t.Fatal(h.shapes())
		}
		for range 2 {
			h.sync(t, 3, "flat")
		}
		if names := strings.Join(h.Names(), " "); h.shapes() != "round round round" || names != "meadow sheep-0 sheep-1 sheep-2" {
			t.Errorf("they are %s; there are %s", h.shapes(), names)
		}
	})
}
