package service

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
)

// wrote is a pass with one write.
func wrote() report.Run {
	return report.Run{Pass: &engine.Pass{Results: []engine.Result{{Step: plan.Step{Action: plan.Create}}}}}
}

// A change that a probe notices while the agent writes, or shortly after that, causes one look when the agent's own writes are no longer reported.
func TestHearingKeepsWhatAProbeNoticed(t *testing.T) {
	for name, notice := range map[string]func(*hearing){
		"while the agent writes": func(h *hearing) { h.Started(plan.Step{}); h.sawMove(); h.sawMove(); h.Ran(wrote()) },
		"after it":               func(h *hearing) { h.Started(plan.Step{}); h.Ran(wrote()); h.sawMove(); h.sawMove() },
		"in a run without a pass": func(h *hearing) {
			h.Started(plan.Step{})
			h.sawMove()
			h.Ran(report.Run{})
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var looks atomic.Int32 // timers count, too
			h := newHearing("", func(engine.Moved) { looks.Add(1) })
			notice(h)
			time.Sleep(echo - 1)
			if synctest.Wait(); looks.Load() != 0 {
				t.Errorf("%s: %d looks while the agent's own writes are reported", name, looks.Load())
			}
			time.Sleep(time.Hour)
			if synctest.Wait(); looks.Load() != 1 {
				t.Errorf("%s: %d looks, want 1", name, looks.Load())
			}
		})
	}
}

// After a run that had no pass, the agent no longer writes.
func TestHearingAfterARunWithoutAPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32 // timers count, too
		h := newHearing("", func(engine.Moved) { looks.Add(1) })
		h.of = events.Interest{Project: "p", User: "agent"}
		h.Started(plan.Step{})
		h.Ran(report.Run{})
		time.Sleep(echo)
		h.hear(events.Look{Service: "network", Collection: "port", Project: "p", Who: events.User{ID: "agent"}}, time.Now())
		if looks.Load() != 1 {
			t.Errorf("%d looks, want 1", looks.Load())
		}
	})
}

// After the end of a stack, nothing looks, and no timer waits.
func TestHearingEndsWithItsStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32 // timers count, too
		h := newHearing("", func(engine.Moved) { looks.Add(1) })
		for range 2 { // the second hints wait
			h.poke()
			h.miss()
		}
		h.Ran(wrote())
		h.sawMove()
		before := looks.Load()
		h.close()
		h.poke()
		for name, timer := range map[string]*time.Timer{"quick": h.quick.timer, "slow": h.slow.timer, "settling": h.settling} {
			if timer == nil || timer.Stop() {
				t.Errorf("the timer %s: %v", name, timer)
			}
		}
		time.Sleep(time.Hour)
		if synctest.Wait(); looks.Load() != before {
			t.Errorf("%d looks after the end", looks.Load()-before)
		}
	})
}

// Probes that fail, and services that the user may not ask, are logged once. A service without permission does not delay the probes of the others.
func TestProbesThatFailAreLoggedOnce(t *testing.T) {
	var record servicetest.Record
	p := newProbes(slog.New(slog.NewTextHandler(&record, nil)))
	down := errors.New("down")
	unseen := &cloud.UnseenError{Services: []string{cloud.Compute}, Err: errors.New("refused")}
	for i, tt := range []struct {
		err         error
		warn, infos int // after this probe
		failures    bool
	}{{unseen, 1, 0, false}, {unseen, 1, 0, false}, {down, 2, 0, true}, {down, 2, 0, true}, {nil, 2, 1, false}, {nil, 2, 1, false}, {down, 3, 1, true}} {
		at := projectAt{cloud: "demo"}
		if p.all[at] == nil {
			p.all[at] = &probed{stacks: map[*hearing]bool{}, unseen: map[string]bool{}}
		}
		p.all[at].moved = func(context.Context) (bool, error) { return false, tt.err }
		p.probe(t.Context(), at, p.all[at])
		warn, infos := strings.Count(record.String(), "level=WARN"), strings.Count(record.String(), "level=INFO")
		if late := !p.all[at].pace.Due(time.Now().Add(50 * time.Second)); warn != tt.warn || infos != tt.infos || late != tt.failures {
			t.Errorf("probe %d: %d warnings, %d other lines, delayed: %t", i, warn, infos, late)
		}
	}
}
