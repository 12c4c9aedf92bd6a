package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// called finds a Thing by its name.
func (h *herd) called(name string) *thingtest.Thing {
	for _, x := range h.Things {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// checks runs a pass every minute, for a number of minutes.
func (h *herd) checks(t *testing.T, count, minutes int, shape string) (last Pass) {
	t.Helper()
	for range minutes {
		time.Sleep(time.Minute)
		last = h.sync(t, count, shape)
	}
	return last
}

func healthy(t *testing.T, count int) *herd {
	t.Helper()
	h := newHerd()
	h.Delay, h.roll = 1, ", heal: true, asked: true"
	h.engine.Probe = func(context.Context, string, rollout.Probe) error { return nil }
	if pass := h.sync(t, count, "round"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	return h
}

// A member that somebody has stopped is started again after a while. A member that has failed is replaced. No other object is changed.
func TestMembersAreHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := healthy(t, 4)
		h.called("sheep-1").Down = "stopped"
		if pass := h.checks(t, 4, 2, "round"); h.called("sheep-1").Restarts != 0 || len(pass.Results) != 0 {
			t.Errorf("it is not left alone at first: %v", pass.Results)
		}
		pass := h.checks(t, 4, 1, "round")
		if x := h.called("sheep-1"); x.Restarts != 1 || x.Down != "" || pass.Outcome() != plan.InSync || pass.Drifted() != 1 {
			t.Errorf("%d restarts, %q: %s, %d drifted", x.Restarts, x.Down, failed(pass), pass.Drifted())
		}
		failing := h.called("sheep-2")
		failing.Down = "failed"
		h.checks(t, 4, 4, "round")
		if x := h.called("sheep-2"); x.ID == failing.ID || x.Down != "" || len(h.Things) != 5 {
			t.Errorf("what has failed is not replaced: %+v", x)
		}
		if h.checks(t, 4, 60, "round"); h.called("sheep-1").Restarts != 1 {
			t.Error("it is started again for nothing")
		}
	})
}

// A repair that does not help is repeated at longer and longer intervals, and never more often than allowed. An agent that has just started
// waits before it repairs a member.
func TestHealingDoesNotChurn(t *testing.T) {
	testcost.Long(t)
	synctest.Test(t, func(t *testing.T) {
		h := healthy(t, 4)
		h.Stubborn = map[string]bool{"sheep-1": true}
		h.called("sheep-1").Down = "stopped"
		pass := h.checks(t, 4, 60, "round")
		if n := h.called("sheep-1").Restarts; n != 3 {
			t.Errorf("restarted %d times within an hour", n)
		}
		if text := messages(pass.Last, h); !strings.Contains(text, "sheep-1: ") || !strings.Contains(text, " 3 times ") {
			t.Errorf("nothing says why it is left so: %s", messages(pass.Last, h))
		}
		if h.checks(t, 4, 600, "round"); h.called("sheep-1").Restarts > 10 {
			t.Errorf("restarted %d times within eleven hours", h.called("sheep-1").Restarts)
		}
		before := h.called("sheep-1").Restarts
		h.engine = engineWith(h)
		if h.checks(t, 4, 2, "round"); h.called("sheep-1").Restarts != before {
			t.Error("an agent that begins anew restarts at once")
		}
	})
}

// The agent makes a new engine after each pass in which a list failed. If a service is down for a long time, members are still healed, and
// not more often than with one engine.
func TestHealingGoesOnWithNewLogins(t *testing.T) {
	for name, stubborn := range map[string]bool{"helped": false, "not helped": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := healthy(t, 4)
				h.Stubborn = map[string]bool{"sheep-0": stubborn}
				h.called("sheep-0").Down = "stopped"
				for range 60 {
					was := h.engine
					h.engine = engineWith(h)
					h.engine.Probe, h.engine.Memory = was.Probe, was.past()
					h.checks(t, 4, 1, "round")
				}
				if n := h.called("sheep-0").Restarts; !stubborn && n != 1 || stubborn && n != 3 {
					t.Errorf("restarted %d times within an hour", n)
				}
			})
		})
	}
}

// If most members do not serve, the members are not the cause, and no member is healed.
func TestASickMajorityIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := healthy(t, 4)
		h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			if address == "sheep-3" {
				return nil
			}
			return errors.New("status 503")
		}
		writes := h.Writes
		pass := h.checks(t, 4, 30, "round")
		if h.Writes != writes || !strings.Contains(messages(pass.Last, h), "3 of 4 members") {
			t.Errorf("%d writes; %s", h.Writes-writes, messages(pass.Last, h))
		}
	})
}

// A member that does not answer is restarted when its probes have failed often enough.
func TestASilentMemberIsRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := healthy(t, 4)
		h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			if x := h.called(address); address == "sheep-0" && x.Restarts == 0 {
				return errors.New("status 503")
			}
			return nil
		}
		pass := h.checks(t, 4, 6, "round")
		if n := h.called("sheep-0").Restarts; n != 1 || pass.Outcome() != plan.InSync {
			t.Errorf("%d restarts, %s", n, failed(pass))
		}
	})
}

// A canary is tested for the whole time that the group requires. The pass ends before that and reports that differences remain.
func TestACanaryIsTriedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay = 1
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		h.roll = ", try: 86400"
		pass := h.sync(t, 3, "flat")
		if pass.Outcome() != plan.OutOfSync || h.called("sheep-0").Shape != "flat" || h.called("sheep-1").Shape != "round" || pass.Took > time.Hour {
			t.Errorf("%s after %s: %s", pass.Outcome(), pass.Took, failed(pass))
		}
		if s := stepOf(t, pass, "sheep-1"); s.Turn.Code != cause.TurnWorked || !slices.Contains(s.Turn.Args, any(24*time.Hour)) {
			t.Errorf("it waits: %s", s.Turn)
		}
		time.Sleep(23 * time.Hour)
		if pass := h.sync(t, 3, "flat"); h.called("sheep-1").Shape != "round" && pass.Started.Before(h.called("sheep-0").Since.Add(24*time.Hour)) && pass.Took < time.Hour {
			t.Error("the others go before its time")
		}
		time.Sleep(time.Hour)
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync {
			t.Error(failed(pass))
		}
	})
}

// A group can have a deadline, counted from the time at which the member started to work. After that time, every agent reports that the
// rollout failed, even one that was just started, and a pass does not wait.
func TestARolloutHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay, h.roll = 1, ", asked: true, late: 300"
		h.engine.Probe = func(context.Context, string, rollout.Probe) error { return nil }
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		probe := func(_ context.Context, address string, _ rollout.Probe) error {
			if h.called(address).Shape == "flat" {
				return errors.New("status 503")
			}
			return nil
		}
		for agent, most := range []time.Duration{6 * time.Minute, 10 * time.Second} {
			h.engine = engineWith(h)
			h.engine.Probe = probe
			pass := h.sync(t, 3, "flat")
			if got := failed(pass); !strings.Contains(got, "sheep-0: ") || !strings.Contains(got, " 5m0s; ") || pass.Took > most {
				t.Errorf("agent %d, after %s: %s", agent, pass.Took, got)
			}
		}
	})
}

// messages returns the status message of each object.
func messages(p plan.Plan, h *herd) string {
	var b strings.Builder
	for _, o := range status.Of(p, h.engine.Kinds) {
		b.WriteString(o.Metadata.Name + ": " + o.Status.Message + "\n")
	}
	return b.String()
}

// A member may wait for its turn because a rollout has halted or a canary is being tested. It is healed nevertheless, without the new
// template.
func TestMembersThatWaitForTheirTurnAreHealed(t *testing.T) {
	testcost.Long(t)
	for name, roll := range map[string]string{"halted": "", "trying": ", try: 604800"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := healthy(t, 5)
				h.roll += roll
				if name == "halted" {
					h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
						if x := h.called(address); x.Shape == "flat" || x.Down != "" {
							return errors.New("status 503")
						}
						return nil
					}
				}
				h.sync(t, 5, "flat")
				h.checks(t, 5, 60, "flat")
				waits := h.called("sheep-4")
				waits.Down = "stopped"
				was := waits.Mark.Applied
				pass := h.checks(t, 5, 60, "flat")
				if x := h.called("sheep-4"); x.Restarts != 1 || x.Down != "" || x.Shape != "round" || x.Mark.Applied != was {
					t.Errorf("%+v: %s\n%s", x, failed(pass), messages(pass.Last, h))
				}
				if got := h.called("sheep-1").Shape; got != "round" {
					t.Errorf("sheep-1 is %s", got)
				}
			})
		})
	}
}

// While a plan is held for an approval, members are still healed. A repair does not apply the new template. After the repairs, the held
// plan is made again.
func TestMembersAreHealedWhileAPlanIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := healthy(t, 4)
		h.engine.Limits = guard.Limits{All: guard.Limit{Count: 1}}
		h.called("sheep-1").Down = "stopped"
		h.called("sheep-2").Down = "failed"
		was := h.called("sheep-2").ID
		pass := h.checks(t, 4, 4, "flat")
		if pass.First.Held == nil {
			t.Fatalf("nothing is held: %s", failed(pass))
		}
		for _, name := range []string{"sheep-0", "sheep-1", "sheep-2", "sheep-3"} {
			if x := h.called(name); x == nil || x.Shape != "round" {
				t.Errorf("%s: %+v: nobody has approved of its change", name, x)
			}
		}
		if x := h.called("sheep-1"); x.Restarts != 1 || x.Down != "" {
			t.Errorf("what is stopped is not started: %+v", x)
		}
		if x := h.called("sheep-2"); x.ID != was {
			t.Errorf("what has failed was replaced by what nobody has approved of: %+v", x)
		}
		healed := 0
		for range 3 {
			last := h.checks(t, 4, 1, "flat")
			healed += len(last.Results)
			if last.First.Hash() != last.Last.Hash() || last.First.Hash() != pass.Last.Hash() {
				t.Errorf("the plan to approve of is another one each time")
			}
		}
		if healed != 0 {
			t.Errorf("%d steps more", healed)
		}
	})
}

// An object that somebody deleted is created by a step of the plan. So it stays away while the plan is held, whether it is a member of a
// group or not (decision 0064).
func TestNothingIsCreatedWhileAPlanIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.roll, h.around = ", heal: true", "\n---\n"+thingtest.Manifest("rock")
		if pass := h.sync(t, 4, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		limits := h.engine.Limits
		h.engine.Limits = guard.Limits{All: guard.Limit{Count: 1}}
		gone := []string{"sheep-1", "rock"}
		for _, name := range gone {
			delete(h.Things, h.called(name).ID)
		}
		pass := h.checks(t, 4, 10, "flat")
		if pass.First.Held == nil || len(pass.Results) > 0 {
			t.Fatalf("held: %v, carried out: %v", pass.First.Held, pass.Results)
		}
		for _, name := range gone {
			i := slices.IndexFunc(pass.First.Steps, func(s plan.Step) bool { return s.Key.Name == name })
			if s := pass.First.Steps[i]; h.called(name) != nil || s.Action != plan.Create || !s.Drift {
				t.Errorf("%s: %s, drift: %v", name, s.Action, s.Drift)
			}
		}
		h.engine.Limits = limits
		h.checks(t, 4, 10, "flat")
		for _, name := range gone {
			if h.called(name) == nil {
				t.Errorf("%s is still away", name)
			}
		}
	})
}
