package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// turn is one pass: the index of its repository (of), and the time (cut) after which a newer commit ends
// it; 0 if none does.
type turn struct {
	of  int
	cut time.Duration
}

// Requests fail in any way, passes end at any time, and the branch moves to any commit. Even then, these
// laws are true:
//
// - The things of others are not changed, and nothing is created twice.
// - Nothing is destroyed unless a plan said so, and no change by the agent itself is reported as drift.
// - Passes end, and send few requests.
// - After all requests succeed again, the cloud equals the repository, and nothing more is written.
func TestRoughTimes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := anyRough(rt)
		var repos [3][]kind.Desired
		for i := range repos {
			want, err := r.Wanted(anyRepo(rt, "objects")...)
			if err != nil {
				rt.Fatal(err)
			}
			repos[i] = want
		}
		turns := make([]turn, rapid.IntRange(1, 4).Draw(rt, "passes"))
		for i := range turns {
			turns[i].of = rapid.IntRange(0, len(repos)-1).Draw(rt, "repository")
			if rapid.Bool().Draw(rt, "is ended") {
				turns[i].cut = time.Duration(rapid.IntRange(1, 1000).Draw(rt, "after")) * 100 * time.Millisecond
			}
		}
		report := rapid.Bool().Draw(rt, "report drift") && !r.others && !r.restarts
		before := strangers(r.World)
		bubble(t, rt, func() error {
			r.live(repos, turns, report)
			if after := strangers(r.World); after != before {
				r.wrong = append(r.wrong, "others' things were touched")
			}
			if len(r.wrong) > 0 {
				return fmt.Errorf("%s\n%s", strings.Join(r.wrong, "\n"), strings.Join(r.log, "\n"))
			}
			return nil
		})
	})
}

// anyRough draws how requests fail, and which objects others have in the cloud.
func anyRough(t *rapid.T) *rough {
	r := &rough{World: thingtest.New(), seed: rapid.Uint64().Draw(t, "seed"), calls: map[string]int{}, destroying: map[string]bool{}}
	for _, f := range allFates {
		if rapid.Bool().Draw(t, string(f)) {
			r.fates = append(r.fates, f)
		}
	}
	r.Delay = rapid.IntRange(0, 2).Draw(t, "delay")
	r.lag = time.Duration(rapid.IntRange(0, 300).Draw(t, "lag")) * time.Millisecond
	r.badLists = rapid.Bool().Draw(t, "lists fail")
	r.others = rapid.IntRange(0, 2).Draw(t, "others") == 0
	r.restarts = rapid.IntRange(0, 2).Draw(t, "restarts") == 0
	for i := range rapid.IntRange(0, 3).Draw(t, "strangers") {
		x := thingtest.Thing{Name: fmt.Sprintf("s%d", i), Colour: "grey", Shape: "round", Mine: true}
		if rapid.Bool().Draw(t, "marked") {
			x.Name = fmt.Sprintf("n%d", i)
			x.Mark = &kind.Mark{Owner: ownertext.Of("other", thingtest.Key(x.Name)), Applied: "x"}
		}
		r.Put(x)
	}
	return r
}

// agent does the parts of package agent that these tests need.
type agent struct {
	*Engine
	synced, wrote string
}

func (a *agent) pass(ctx context.Context, commit string, want []kind.Desired) Pass {
	pass := a.Sync(ctx, Revision{Commit: commit, Want: want, Synced: commit == a.synced})
	if len(pass.Results) > 0 {
		a.wrote = commit
	}
	if a.wrote != a.synced {
		a.synced = ""
	}
	if pass.Outcome() == plan.InSync {
		a.synced, a.wrote = commit, commit
	}
	return pass
}

// live runs the passes. Then it runs some more passes while all requests succeed.
func (r *rough) live(repos [3][]kind.Desired, turns []turn, report bool) {
	a := r.agent(report)
	r.calm = true
	r.pass(a, repos, turn{})
	r.calm = false
	for i, next := range turns {
		if i > 0 && turns[i-1].cut == 0 {
			time.Sleep(time.Second)
		} else {
			time.Sleep(400 * time.Millisecond) // the agent needs this time to fetch a commit
		}
		if r.restarts && r.roll("restart", 2) == 0 {
			a = r.agent(report)
			a.Timing.KilledWait = 3 * time.Minute // requests of a killed process continue for that long
		}
		for range 4 {
			if r.others {
				time.AfterFunc(r.some("meddling", time.Minute), r.meddle)
			}
		}
		r.pass(a, repos, next)
	}
	r.locked(func() { r.calm = true })
	last := turn{of: turns[len(turns)-1].of}
	for range 2 {
		time.Sleep(4 * time.Minute) // until all pending requests have ended
		r.pass(a, repos, last)
	}
	time.Sleep(4 * time.Minute)
	pass := r.pass(a, repos, last)
	if pass.Outcome() != plan.InSync || len(pass.Results) > 0 || pass.Last.Owned != len(repos[last.of]) {
		r.wrong = append(r.wrong, fmt.Sprintf("at last: %s, %d of %d things: %v %s", pass.Outcome(), pass.Last.Owned, len(repos[last.of]), pass.Last.Summary(), failed(pass)))
	}
}

func (r *rough) agent(report bool) *agent {
	a := &agent{Engine: r.engine()}
	if report {
		a.Policies = []plan.Policy{guard.ReportDrift(true)}
	}
	return a
}

// pass runs one pass and checks the laws.
func (r *rough) pass(a *agent, repos [3][]kind.Desired, next turn) Pass {
	ctx, supersede := context.WithCancelCause(context.Background())
	if next.cut > 0 {
		time.AfterFunc(next.cut, func() { supersede(Superseded("commit 1a2b3c4")) })
	}
	defer supersede(errors.New("it has ended"))
	began, asked, wrote := time.Now(), 0, 0
	r.locked(func() {
		asked, wrote = r.asked, r.Writes
		r.note("a pass of repository %d, to be ended after %s", next.of, next.cut)
	})
	pass := a.pass(ctx, fmt.Sprint("commit ", next.of), repos[next.of])
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.note("it ends: %s: %s", pass.Outcome(), failed(pass))
	for _, s := range slices.Concat(pass.First.Steps, pass.LateDrift) {
		if s.Drift && !r.others && !r.restarts {
			r.wrong = append(r.wrong, fmt.Sprintf("to %s %s counts as drift: %v %s", s.Action, s.Key, s.Changes, s.FullCause()))
		}
	}
	if n, most := r.asked-asked, 50+int(time.Since(began)/(500*time.Millisecond))+8*(r.Writes-wrote); n > most {
		r.wrong = append(r.wrong, fmt.Sprintf("a pass of %s asked %d times, want %d at most", time.Since(began), n, most))
	}
	return pass
}
