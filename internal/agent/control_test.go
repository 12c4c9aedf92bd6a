package agent

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/report"
)

// planned is a plan that creates the named things.
func planned(commit string, names ...string) plan.Plan {
	p := plan.Plan{Stack: "s", Commit: commit}
	for _, name := range names {
		p.Steps = append(p.Steps, plan.Step{Key: manifest.Key{Kind: "Thing", Name: name}, Action: plan.Create})
	}
	return p
}

// manual makes passes that hold the plan for the names, unless it is approved.
func (o *outside) manual(names *[]string) {
	o.pass = func(_ context.Context, n int) engine.Pass {
		rev := o.passes[n-1]
		plan := planned(rev.Commit, *names...).Apply(rev.Policies...).Apply(guard.Manual("a test"), guard.Brake(guard.Limits{}, rev.Approved))
		pass := engine.Pass{First: plan, Last: plan}
		if plan.Held == nil {
			pass.Last.Steps = nil
		}
		return pass
	}
}

// While a pass changes something, State shows the progress of the pass.
func TestThePassThatRunsIsShown(t *testing.T) {
	s := New(Config{Name: "s"})
	w := s.Progress
	if w.Progress(engine.Progress{Commit: "b"}); s.State().Running != nil {
		t.Errorf("a pass that changes nothing: %+v", s.State().Running)
	}
	w.Progress(engine.Progress{Commit: "b", Done: 1, Total: 4})
	if is := s.State().Running; is == nil || is.Commit != "b" || is.State != "applying 1/4" {
		t.Errorf("it is %+v", is)
	}
	failed := engine.Failure{Key: manifest.Key{Kind: "Thing", Name: "a"}, Causes: cause.List{cause.Of(cause.Tried, "403")}, Fault: "Forbidden"}
	s.storeRun(report.Run{Pass: &engine.Pass{Failures: []engine.Failure{failed}}})
	if is := s.State(); is.Running != nil || !slices.Equal(is.Failures, []Failed{{"Thing/a", "403", "Forbidden"}}) {
		t.Errorf("it has ended: %+v", is)
	}
}

func TestAHeldPlanIsApprovedWhileTheAgentRuns(t *testing.T) {
	names := []string{"a"}
	o := &outside{commit: "one"}
	o.manual(&names)
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Second)
		state := s.State()
		if state.Held == "" || state.Hash != planned("one", "a").Hash() || state.Commit != "one" || state.Outcome != "differences remain" {
			t.Fatalf("the state is %+v", state)
		}
		var other *OtherPlanError
		if err := s.Approve(planned("one", "b").Hash(), "Ann"); !errors.As(err, &other) || other.Hash != state.Hash || len(o.passes) != 1 {
			t.Errorf("another plan: %v after %d passes", err, len(o.passes))
		}
		if err := s.Approve(state.Hash, "Ann"); err != nil {
			t.Fatal(err)
		}
		if state = s.State(); !strings.HasPrefix(state.Approved, "by Ann at ") {
			t.Errorf("the state is %+v", state)
		}
		o.pause(0)
		if run := o.runs[len(o.runs)-1]; len(o.passes) != 2 || run.Pass.First.Held != nil || run.Pass.First.Approved.By != "Ann" {
			t.Fatalf("%d passes, held %q", len(o.passes), run.Pass.First.Held)
		}
		// The approval was used: the same plan needs another one.
		s.ReconcileNow()
		o.pause(0)
		if state = s.State(); state.Held == "" || state.Approved != "" {
			t.Errorf("approved once, and good for ever: %+v", state)
		}
		names = nil
		s.ReconcileNow()
		o.pause(0)
		if err := s.Approve(state.Hash, "Ann"); !errors.Is(err, ErrNothingHeld) {
			t.Errorf("nothing is held: %v", err)
		}
	})
}

// Without a forge and without a folder, approvals are not stored anywhere. So a new agent reports of a held plan that it may have been
// approved before, and carries out none of it. The agent does not report this of a commit that arrives while it runs.
func TestApprovalsThatNothingRemembers(t *testing.T) {
	says := func(o *outside) bool { return o.runs[len(o.runs)-1].Pass.First.Held.Has(cause.Forgotten) }
	for name, c := range map[string]struct {
		with func(*Loop)
		says bool
	}{
		"nothing":  {func(*Loop) {}, true},
		"a folder": {func(s *Loop) { s.Record = Record(filepath.Join(t.TempDir(), "s.json")) }, false},
		"a forge":  {func(s *Loop) { s.Approvals = func(context.Context, string) []plan.Approval { return nil } }, false},
	} {
		t.Run(name, func(t *testing.T) {
			names := []string{"a"}
			o := &outside{commit: "one", with: c.with}
			o.manual(&names)
			serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
				o.pause(time.Second)
				state := s.State()
				if state.Held == "" || says(o) != c.says {
					t.Errorf("the first plan is held: %q", state.Held)
				}
				if !c.says {
					return
				}
				if err := s.Approve(state.Hash, "Ann"); err != nil {
					t.Fatal(err)
				}
				names = []string{"a", "b"}
				o.pause(0)
				if held := s.State().Held; held == "" || says(o) {
					t.Errorf("approved in vain: %q", held)
				}
				o.commit = "two"
				s.Wake()
				o.pause(0)
				if state := s.State(); state.Commit != "two" || state.Held == "" || says(o) {
					t.Errorf("a commit that came later: %+v", state)
				}
			})
		})
	}
}

func TestAnApprovalIsDroppedWhenThePlanChanges(t *testing.T) {
	names := []string{"a"}
	o := &outside{commit: "one"}
	o.manual(&names)
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Second)
		hash := s.State().Hash
		names = []string{"a", "b"}
		if err := s.Approve(hash, "Ann"); err != nil {
			t.Fatal(err)
		}
		o.pause(0)
		if state := s.State(); state.Held == "" || state.Hash == hash || state.Approved != "" {
			t.Errorf("the plan has grown: %+v", state)
		}
		names = []string{"a"}
		s.ReconcileNow()
		o.pause(0)
		if state := s.State(); state.Hash != hash {
			t.Errorf("the approval was for the plan that came before: %+v", state)
		}
	})
}

// If a source is down for a moment, the held plan is still shown, then and later. Nothing changes for the stacks that depend on this one.
func TestAHeldPlanOutlastsASourceThatIsAway(t *testing.T) {
	names := []string{"a"}
	o := &outside{commit: "one"}
	o.manual(&names)
	serve(t, o, "@every 1m", "@every 24h", func(s *Loop) {
		o.pause(time.Second)
		held := s.State()
		for _, c := range []struct{ commit, outcome string }{{"", "failed"}, {"one", "differences remain"}} {
			o.commit = c.commit
			o.pause(2 * time.Minute)
			state := s.State()
			if state.Outcome != c.outcome || state.Held == "" || state.Held != held.Held || state.Hash != held.Hash || state.Plan != held.Plan || s.LastOutcome() != "differences remain" {
				t.Errorf("at commit %q its outcome is %q: %+v", c.commit, s.LastOutcome(), state)
			}
		}
		names = nil
		s.ReconcileNow()
		o.pause(0)
		o.commit = ""
		o.pause(2 * time.Minute)
		if state := s.State(); state.Outcome != "failed" || state.Hash != "" || s.LastOutcome() != "in sync" {
			t.Errorf("away after it was in sync, its outcome is %q: %+v", s.LastOutcome(), state)
		}
		o.commit = "bad"
		o.pause(2 * time.Minute)
		if s.LastOutcome() != "refused input" {
			t.Errorf("with a commit that is refused its outcome is %q", s.LastOutcome())
		}
	})
}

// An approval that is given twice does not interrupt the pass that carries it out.
func TestAnApprovalGivenTwiceIsOne(t *testing.T) {
	names := []string{"a"}
	o := &outside{commit: "one"}
	o.manual(&names)
	hold := o.pass
	o.pass = func(ctx context.Context, n int) engine.Pass {
		if len(o.passes[n-1].Approved) > 0 {
			return waiting(ctx, n)
		}
		return hold(ctx, n)
	}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Second)
		for range 3 {
			if err := s.Approve(s.State().Hash, "Ann"); err != nil {
				t.Fatal(err)
			}
			o.pause(time.Second)
		}
		if len(o.passes) != 2 {
			t.Errorf("%d passes, want the one that was held and the one that was approved", len(o.passes))
		}
	})
}

// An approval that arrives during a pass counts for the next one, and starts it.
func TestAnApprovalDuringAPassIsNotLost(t *testing.T) {
	names := []string{"a"}
	o := &outside{commit: "one"}
	o.manual(&names)
	hold := o.pass
	var release chan struct{}
	o.pass = func(ctx context.Context, n int) engine.Pass {
		if release != nil {
			<-release
		}
		return hold(ctx, n)
	}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Second)
		release = make(chan struct{})
		s.Check()
		o.pause(time.Second)
		if err := s.Approve(s.State().Hash, "Ann"); err != nil {
			t.Fatal(err)
		}
		close(release)
		o.pause(time.Second)
		if state := s.State(); state.Held != "" || len(o.passes) != 3 {
			t.Errorf("after %d passes: %+v", len(o.passes), state)
		}
	})
}

// An agent that keeps running uses an approval of --approve only once.
func TestAnApprovalOfTheCommandLineIsUsedOnce(t *testing.T) {
	names := []string{"a"}
	o := &outside{commit: "one"}
	o.manual(&names)
	s := o.stack(t, "@every 24h", "@every 24h")
	s.Approved = []plan.Approval{{Hash: planned("one", "a").Hash()}}
	for i, want := range []bool{false, true} {
		run := s.Pass(t.Context())
		s.control.storeRun(run)
		if held := run.Pass.First.Held != nil; held != want {
			t.Errorf("pass %d: held %v, want %v", i, held, want)
		}
	}
}

// A commit with refused manifests can still suspend the stack.
func TestARefusedCommitCanSuspend(t *testing.T) {
	o := &outside{commit: "one"}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Weaker = func(files fs.FS) ([]plan.Policy, error) {
		entries, err := fs.ReadDir(files, ".")
		if err != nil || !strings.HasSuffix(entries[0].Name(), "stop") {
			return nil, err
		}
		return []plan.Policy{guard.Suspend("a test")}, nil
	}
	var got []string
	for _, commit := range []string{"one", "bad-stop", "bad", "two-stop", "three"} {
		o.commit = commit
		s.Pass(t.Context())
		pass := o.passes[len(o.passes)-1]
		got = append(got, pass.Commit+" "+planned("").Apply(pass.Policies...).Suspended)
	}
	if want := []string{"one ", "one a test", "one ", "two-stop a test", "three "}; !slices.Equal(got, want) {
		t.Errorf("passes %q, want %q", got, want)
	}
	o.commit = "bad-stop"
	s.Pass(t.Context())
	o.commit = "" // no commit has removed the suspension
	if run := s.Pass(t.Context()); run.FetchErr == nil || run.Refused == nil || planned("").Apply(o.passes[len(o.passes)-1].Policies...).Suspended == "" {
		t.Errorf("while the source is away: %+v", run)
	}
	o.commit = "three"
	s.Weaker = func(fs.FS) ([]plan.Policy, error) { return nil, errors.New("the disk is away") }
	s.Pass(t.Context())
	if plan := planned("").Apply(o.passes[len(o.passes)-1].Policies...); !strings.Contains(plan.Suspended, "the disk is away") {
		t.Errorf("settings that cannot be read: %+v", plan)
	}
}
