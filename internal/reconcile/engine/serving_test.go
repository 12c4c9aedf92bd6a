package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A member that served for weeks may hang and be restarted. It gets time to start before it counts as failed, and its group does not
// roll back a change that worked.
func TestARestartedMemberIsGivenItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay = 1
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		h.roll = ", heal: true, asked: true, late: 300, back: true, from: 2"
		var restarted time.Time
		hangs := false
		h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			x := h.called(address)
			if x.Restarts > 0 && restarted.IsZero() {
				restarted = time.Now()
			}
			if address == "sheep-2" && hangs && (x.Restarts == 0 || time.Since(restarted) < 90*time.Second) {
				return errors.New("status 503")
			}
			return nil
		}
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync || h.shapes() != "round round flat" {
			t.Fatalf("%s; %s", h.shapes(), failed(pass))
		}
		time.Sleep(14 * 24 * time.Hour)
		hangs = true
		for range 10 {
			time.Sleep(time.Minute)
			if pass := h.sync(t, 3, "flat"); len(pass.Failures) > 0 || pass.RollsBack {
				t.Fatalf("goes back: %t; %s", pass.RollsBack, failed(pass))
			}
		}
		if x := h.called("sheep-2"); x.Restarts != 1 || h.shapes() != "round round flat" {
			t.Errorf("%d restarts; %s", x.Restarts, h.shapes())
		}
	})
}

// A member may be reported as not serving for a moment, long after it was changed. That does not end a rollout.
func TestAMomentIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay, h.roll, h.around = 1, ", ready: 600, late: 300, back: true", "\n---\n"+thingtest.Manifest("dog near=sheep-0,sheep-1,sheep-2")
		h.Judge = func(dog *thingtest.Thing) (unwell []string, _ time.Duration) {
			if x := h.called("sheep-0"); dog.Name == "dog" && x != nil && x.Shape == "flat" {
				if since := time.Since(x.Since); since > 1190*time.Second && since < 1230*time.Second {
					unwell = append(unwell, x.ID)
				}
			}
			return unwell, 0
		}
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		time.Sleep(time.Hour)
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync || h.shapes() != "flat flat flat" {
			t.Errorf("%s; %s", h.shapes(), failed(pass))
		}
	})
}

// A group is made smaller. Former members that serve stay until enough of the remaining members serve, and their load balancer keeps
// sending to them. If the remaining members never serve, the plan says so.
func TestFormerMembersStandIn(t *testing.T) {
	for name, recovers := range map[string]bool{"the others serve later": true, "the others never serve": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHerd()
				h.Delay, h.roll = 1, ", asked: true, late: 300"
				began, sick := time.Now(), false
				serves := func(name string) bool {
					ill := name == "sheep-0" || name == "sheep-1" || name == "sheep-2"
					return !ill || !sick || recovers && time.Since(began) > 2*time.Minute
				}
				h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
					if !serves(address) {
						return errors.New("status 503")
					}
					return nil
				}
				h.around = "\n---\n" + thingtest.Manifest("dog near=sheep-0,sheep-1,sheep-2,sheep-3,sheep-4,sheep-5")
				if pass := h.sync(t, 6, "round"); pass.Outcome() != plan.InSync {
					t.Fatal(failed(pass))
				}
				time.Sleep(time.Minute)
				began, sick = time.Now(), true
				h.around = "\n---\n" + thingtest.Manifest("dog near=sheep-0,sheep-1,sheep-2")
				h.Wrote = func() {
					serving := slices.DeleteFunc(h.behind("dog"), func(name string) bool { return !serves(name) })
					if len(serving) < 2 {
						t.Errorf("behind the dog there are %v, and of these only %v serve", h.behind("dog"), serving)
					}
				}
				h.OnDelete = func(gone string) error {
					left := 0
					for _, x := range h.Things {
						if strings.HasPrefix(x.Name, "sheep") && x.Name != gone && x.Leaving == 0 && serves(x.Name) {
							left++
						}
					}
					if left < 2 {
						t.Errorf("%s goes, and %d are left that serve", gone, left)
					}
					return nil
				}
				pass := h.sync(t, 3, "round")
				if recovers && (pass.Outcome() != plan.InSync || len(h.Things) != 5 || pass.Drifted() > 0) {
					t.Errorf("%v, %d drifted; %s", h.Names(), pass.Drifted(), failed(pass))
				}
				if h.Wrote(); !recovers {
					was, probe := h.Writes, h.engine.Probe
					h.engine = engineWith(h)
					if h.engine.Probe = probe; h.sync(t, 3, "round").Drifted() > 0 || h.Writes != was {
						t.Errorf("another agent writes %d times", h.Writes-was)
					}
				}
				if got := failed(pass); !recovers && (len(h.Things) != 7 || !strings.Contains(got, " 5m0s; ") || !strings.Contains(got, "sheep-")) {
					t.Errorf("%v; %s", h.Names(), got)
				}
			})
		})
	}
}

// An agent creates a spare that does not serve. The next agent, which has no memory of that, does not create the spare again.
func TestAnotherAgentMakesNoSpareAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := picky(t, "flat")
		h.roll += ", surge: 1"
		h.past = nil
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		probe := h.engine.Probe
		for range 3 {
			h.sync(t, 3, "flat")
		}
		if got := h.shapes(); got != "round round round" || len(h.Things) != 4 {
			t.Fatalf("%s; %v", got, h.Names())
		}
		h.engine = engineWith(h)
		h.engine.Probe, h.past = probe, h.past[:1]
		writes := h.Writes
		pass := h.sync(t, 3, "flat")
		if got := failed(pass); h.Writes != writes || h.shapes() != "round round round" || !wentBack(pass, "commit-0", "sheep-0") {
			t.Errorf("%d writes, %s; %s", h.Writes-writes, h.shapes(), got)
		}
	})
}

// behind returns the names of the Things that the named Thing refers to with near.
func (h *herd) behind(name string) (names []string) {
	for _, id := range h.called(name).Near {
		if x := h.Things[id]; x != nil {
			names = append(names, x.Name)
		}
	}
	slices.Sort(names)
	return names
}

// The error says which member does not serve, and for how long another object has reported that.
func TestAReportNamesTheMemberThatDoesNotServe(t *testing.T) {
	member := thingtest.Key("web-1")
	s := plan.Step{Membership: plan.Membership{Settles: &plan.Settling{Member: member}}}
	if text := neverServed(s, time.Minute).Error(); !strings.Contains(text, time.Minute.String()+" that "+member.String()+" ") {
		t.Error(text)
	}
}
