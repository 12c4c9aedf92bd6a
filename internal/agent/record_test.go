package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/report"
)

// A next process with the same folder knows the approval, and the project in which the stack was in sync. An approval is ignored if its
// content does not give its hash.
func TestWhatAProcessKnowsIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stacks", "s.json")
	held := planned("one", "a", "b")
	held.Steps[0].Action = plan.Keep // for the other process, this step is done already
	held.Held = cause.List{cause.Of(cause.Told, "for a test")}
	first := New(Config{Name: "s", Process: Process{Record: Record(path)}})
	first.cloud = &Cloud{Project: "p1"}
	first.storeProject()
	first.control.held = &held
	if err := first.Approve(held.Hash(), "Ann"); err != nil {
		t.Fatal(err)
	}
	next := New(Config{Name: "s", Process: Process{Record: Record(path)}})
	next.readRecord(true)
	if got := next.approved("one"); len(got) != 1 || got[0].Hash != held.Hash() || got[0].By != "Ann" || !got[0].Covers(held) {
		t.Errorf("known are %v", got)
	}
	if got := next.approved("two"); len(got) != 0 || next.lastProject() != "p1" {
		t.Errorf("of another commit: %v, project %s", got, next.lastProject())
	}
	other := New(Config{Name: "t", Process: Process{Record: Record(path)}})
	if other.readRecord(true); len(other.approved("one")) > 0 {
		t.Error("another stack's approval is used")
	}
	once := New(Config{Name: "s", Process: Process{Record: Record(path)}})
	if once.readRecord(false); len(once.approved("one")) > 0 {
		t.Error("a single pass uses it")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), held.Hash()[:8], "00000000", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	forged := New(Config{Name: "s", Process: Process{Record: Record(path)}})
	if forged.readRecord(true); len(forged.approved("one")) > 0 {
		t.Error("an approval is used that is not of its hash")
	}
	done := planned("one")
	if next.storeRun(report.Run{Pass: &engine.Pass{First: done, Last: done}}); Record(path).Check() != nil {
		t.Error("it cannot be read any more")
	}
	last := New(Config{Name: "s", Process: Process{Record: Record(path)}})
	if last.readRecord(true); len(last.approved("one")) > 0 || last.lastProject() != "p1" {
		t.Error("an approval that was used is given again, or the project is forgotten")
	}
}

// If a plan would create objects in a project other than the one in which the stack was in sync, it is held until somebody approves it.
func TestAPlanForAnotherProjectIsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		before, now string // projects
		owned       int
		in          map[string]bool // commits that were in sync according to the forge, and whether they had any object.
		away, any   bool            // away: the forge does not answer; any: the configuration names a project
		held        bool
	}{
		"the same":                      {before: "p1", now: "p1"},
		"another":                       {before: "p1", now: "p2", held: true},
		"another that holds some":       {before: "p1", now: "p2", owned: 3, held: true},
		"another that is configured":    {before: "p1", now: "p2", any: true},
		"nothing is known":              {now: "p2"},
		"the forge knows":               {now: "p2", in: map[string]bool{"one": true}, held: true},
		"the forge knows of one before": {now: "p2", in: map[string]bool{"zero": true}, held: true},
		"the forge knows of nothing":    {now: "p2", in: map[string]bool{}},
		"empty on the forge":            {now: "p2", in: map[string]bool{"one": false, "zero": true}},
		"known to the forge":            {now: "p2", owned: 3, in: map[string]bool{"one": true}},
		"the forge does not answer":     {now: "p2", in: map[string]bool{}, away: true, held: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := &outside{commit: "one"}
			o.pass = func(_ context.Context, n int) engine.Pass {
				rev := o.passes[n-1]
				p := planned(rev.Commit, "a")
				p.Owned = c.owned
				p = p.Apply(append(rev.Policies, guard.Brake(guard.Limits{}, rev.Approved))...)
				return engine.Pass{First: p, Last: p}
			}
			s := o.stack(t, "@every 1m", "@every 5m")
			s.AnyProject, s.control.project = c.any, c.before
			s.Open = func(ctx context.Context) (Cloud, error) {
				cloud, err := o.open(ctx)
				cloud.Project = c.now
				return cloud, err
			}
			s.History = pastOf("zero")
			if c.in != nil {
				s.Existed = func(_ context.Context, commit string) (known, any bool, err error) {
					if c.away {
						return false, false, os.ErrDeadlineExceeded
					}
					any, known = c.in[commit]
					return known, any, nil
				}
			}
			run := s.Pass(t.Context())
			if run.Pass == nil || (run.Pass.First.Held != nil) != c.held {
				t.Errorf("%+v: held: %q", run.Err, run.Pass.First.Held)
			}
		})
	}
}
