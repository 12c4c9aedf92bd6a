package notify_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// run returns a run with an outcome and a commit.
func run(state, commit string) report.Run {
	r := report.Run{Stack: "prod", Started: time.Unix(1, 0), Revision: source.Revision{Commit: commit}, Pass: &engine.Pass{}}
	switch state {
	case "failed":
		r.Pass.Failures = []engine.Failure{{Key: manifest.Key{Kind: "Server", Name: "web"}, Causes: cause.List{cause.Of(cause.Tried, "no valid host")}}}
	case "held":
		r.Pass.Last.Held = cause.List{cause.Of(cause.Told, "would delete 9 of 10 objects")}
	case "refused":
		r.Refused = &report.Refusal{Commit: commit, Problems: manifest.Problems{{What: "is wrong"}}}
	case "unreachable":
		r.Pass, r.Err = nil, errors.New("the cloud does not answer")
	case "behind":
		r.Pass, r.FetchErr = nil, errors.New("the server does not answer")
	case "unseen":
		r.Pass = nil
	case "suspended":
		r.Pass.Last.Suspended = "suspend is true"
	case "drifted":
		r.Pass.Last.Steps = drifted(commit)
		r.Pass.First = r.Pass.Last
	case "healed":
		r.Pass.First.Steps = []plan.Step{{Key: manifest.Key{Kind: "Network", Name: "front"}, Action: plan.Update, Comparison: plan.Comparison{Drift: true}}}
	}
	return r
}

// Receivers get one notification when a stack gets into a state, and one when the stack is well again.
func TestTransitions(t *testing.T) {
	for name, c := range map[string]struct {
		rule notify.Rule
		runs string
		want string
	}{
		"nothing happens":               {notify.Rule{Least: notify.Warning}, "ok ok ok", ""},
		"it fails and is well again":    {notify.Rule{Least: notify.Warning}, "ok failed failed failed ok ok", "failed, in sync again"},
		"from the start":                {notify.Rule{Least: notify.Warning}, "failed ok", "failed, in sync again"},
		"another commit fails, too":     {notify.Rule{Least: notify.Warning}, "failed failed@b", "failed, failed"},
		"something else is wrong":       {notify.Rule{Least: notify.Warning}, "failed held unreachable@a ok", "failed, held, failed, in sync again"},
		"a commit is refused":           {notify.Rule{Least: notify.Error}, "ok refused@b refused@b ok@c", "refused, in sync again"},
		"errors only":                   {notify.Rule{Least: notify.Error}, "ok held ok failed", "failed"},
		"what people want":              {notify.Rule{Least: notify.Info}, "ok suspended suspended ok", ""},
		"everything":                    {notify.Rule{Least: notify.Info}, "ok ok@b failed@b ok@b", "in sync, failed, in sync again"},
		"drift is corrected":            {notify.Rule{Least: notify.Warning}, "ok healed ok ok healed ok", "in sync after drift was corrected, in sync after drift was corrected"},
		"kinds":                         {notify.Rule{Least: notify.Warning, Kinds: []string{"Network"}}, "ok failed ok healed refused@b", "in sync after drift was corrected"},
		"other stacks":                  {notify.Rule{Stacks: []string{"staging-*"}}, "failed ok", ""},
		"nothing was looked at":         {notify.Rule{Least: notify.Warning}, "ok behind unseen", "failed"},
		"a run says nothing of a cloud": {notify.Rule{Least: notify.Warning}, "ok unreachable behind unseen", "failed"},
		"failed after what is unsaid":   {notify.Rule{Least: notify.Warning}, "failed suspended failed ok", "failed, in sync again"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			s := notify.New("prod", []notify.Rule{c.rule}, notify.NewMemory(), func(_ *notify.Rule, n notify.Notification) {
				state, _, _ := strings.Cut(strings.TrimPrefix(n.Title(), "stack prod is "), " at commit")
				got = append(got, state)
			})
			for step := range strings.FieldsSeq(c.runs) {
				state, commit, ok := strings.Cut(step, "@")
				if !ok {
					commit = "a"
				}
				s.Ran(run(state, commit))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s: told %v, want %s", c.runs, got, c.want)
			}
		})
	}
}

// Two rules are independent. Their notifications contain the objects that failed or drifted.
func TestWhatIsTold(t *testing.T) {
	var got []string
	rules := []notify.Rule{{Name: "a", Least: notify.Error}, {Name: "b", Least: notify.Warning, Stacks: []string{"pro?"}}}
	s := notify.New("prod", rules, notify.NewMemory(), func(r *notify.Rule, n notify.Notification) {
		got = append(got, fmt.Sprintf("%s: %s (%s, %v) %s", r.Name, n.Title(), n.Severity, n.Kinds, n.Message))
	})
	s.Ran(run("held", "0123456789abcdef"))
	s.Ran(run("failed", "0123456789abcdef"))
	want := []string{
		"b: stack prod is held at commit 0123456789 (warning, []) would delete 9 of 10 objects",
		"a: stack prod is failed at commit 0123456789 (error, [Server]) Server/web: no valid host",
		"b: stack prod is failed at commit 0123456789 (error, [Server]) Server/web: no valid host",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A rollout is reported once, to receivers that want it. Its end does not count as the end of a problem.
func TestARolloutIsTold(t *testing.T) {
	var got []string
	rules := []notify.Rule{{Name: "all", Least: notify.Info}, {Name: "bad", Least: notify.Warning}}
	s := notify.New("prod", rules, notify.NewMemory(), func(r *notify.Rule, n notify.Notification) { got = append(got, r.Name+": "+n.Title()) })
	s.Ran(run("ok", "a"))
	w := s.RolloutWatcher()
	w.Progress(engine.Progress{Commit: "b", Total: 3})
	for done := range 3 {
		w.Progress(engine.Progress{Commit: "b", Done: done, Total: 3, Rollouts: []plan.Rollout{{Group: manifest.Key{Kind: "VirtualMachineGroup", Name: "web"}, Done: done, Of: 3}}})
	}
	s.Ran(run("ok", "b"))
	if want := []string{"all: stack prod is rolling out at commit b", "all: stack prod is in sync at commit b"}; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The Memory of a stack is used by the next sink for the stack, until the stack no longer exists.
func TestMemory(t *testing.T) {
	rules, m := []notify.Rule{{Name: "a", Least: notify.Error}}, notify.NewMemory()
	var got []string
	ran := func(state string) {
		notify.New("prod", rules, m, func(_ *notify.Rule, n notify.Notification) { got = append(got, n.State) }).Ran(run(state, "a"))
	}
	ran("failed")
	ran("failed")
	m.Forget("test")
	ran("ok")
	ran("failed")
	m.Forget("prod")
	ran("ok")
	if want := []string{"failed", "in sync", "failed"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

// drifted returns steps for networks that somebody has changed. names is the commit, which contains the names of
// the networks.
func drifted(names string) (steps []plan.Step) {
	for name := range strings.SplitSeq(names, "+") {
		steps = append(steps, plan.Step{Key: manifest.Key{Kind: "Network", Name: name}, Action: plan.Keep, Comparison: plan.Comparison{Drift: true, Changes: []kind.Change{{Field: "spec.resource.name"}}, Trace: &kind.Trace{Who: "ann", When: time.Unix(0, 0)}}})
	}
	return steps
}

// A notification of drift contains the objects and a link to more information. If the drift grows, it is sent
// once more, but not for each object: further objects within an hour are reported at the end of the hour.
func TestDriftThatGrows(t *testing.T) {
	var got []notify.Notification
	m := notify.NewMemory()
	s := notify.New("prod", []notify.Rule{{Name: "a", Least: notify.Warning}}, m, func(_ *notify.Rule, n notify.Notification) { got = append(got, n) })
	s.Link = func(commit string) string { return "https://forge.example/commit/" + commit }
	minutes := 0
	ran := func(after int, names string) (objects []string, further bool) {
		t.Helper()
		minutes += after
		r := run("drifted", names)
		r.Revision.Commit, r.Started = "c", time.Unix(int64(60*minutes), 0)
		before := len(got)
		s.Ran(r)
		if len(got) == before {
			return nil, false
		}
		return got[before].Objects, got[before].Further
	}
	for i, c := range []struct {
		after   int
		drifts  string
		objects int // number of objects in the message
		further bool
	}{
		{0, "n1+n2", 2, false}, {5, "n1+n2", 0, false}, {5, "n1+n2+n3+n4", 4, true}, {5, "n1+n2+n3+n4+n5", 0, false}, {5, "n1", 0, false},
		{60, "n1+n2", 0, false}, {5, "n1+n5+n6", 3, true}, {60, "n6+n5", 0, false},
	} {
		if objects, further := ran(c.after, c.drifts); len(objects) != c.objects || further != c.further {
			t.Errorf("%d: told of %q (%v), want %d (%v)", i, objects, further, c.objects, c.further)
		}
	}
	message := got[1].Message
	for _, part := range []string{"Network/n1: ", "Network/n2: ", "Network/n3: ", "by ann at ", "and 1 more"} {
		if !strings.Contains(message, part) {
			t.Errorf("%q lacks %q", message, part)
		}
	}
	if strings.Contains(message, "Network/n4") || got[1].Link != "https://forge.example/commit/c" {
		t.Errorf("%q, %q", message, got[1].Link)
	}
}

// The Memory is in a file, so that a new process repeats no notification. If the file does not contain the
// entry, one notification is repeated.
func TestMemoryOutlivesTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notified.json")
	var got []string
	ran := func(state, commit string) {
		t.Helper()
		m := notify.OpenMemory(file)
		for _, stack := range []string{"prod", "test"} {
			r := run(state, commit)
			r.Revision.Commit, r.Started = "c", time.Now()
			notify.New(stack, []notify.Rule{{Name: "a", Least: notify.Warning}}, m, func(_ *notify.Rule, n notify.Notification) {
				got = append(got, fmt.Sprint(n.Stack, " ", n.State, " ", len(n.Objects)))
			}).Ran(r)
		}
	}
	ran("drifted", "n1+n2")
	ran("drifted", "n1+n2")
	ran("drifted", "n1+n2+n3")
	ran("drifted", "n1+n2+n3")
	ran("ok", "c")
	if want := []string{"prod drifted 2", "test drifted 2", "prod drifted 3", "test drifted 3", "prod in sync 0", "test in sync 0"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	got = nil
	if err := os.WriteFile(file, []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	ran("failed", "c")
	if len(got) != 2 {
		t.Errorf("told %q", got)
	}
}

// Many stacks drift at the same time, each with different objects, for example after a restart. They are
// reported together.
func TestCrowdOfDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		for i := range 8 {
			r := run("drifted", fmt.Sprint("n", i, "+m"))
			notify.New(fmt.Sprint("s", i), []notify.Rule{{Name: "a", Least: notify.Warning}}, notify.NewMemory(), func(_ *notify.Rule, n notify.Notification) { c.Tell(n) }).Ran(r)
		}
		if got := strings.Count(told(), "is drifted"); got != 5 {
			t.Errorf("told of %d alone", got)
		}
		time.Sleep(2 * time.Minute)
		if got := told(); got != "3 further stacks are drifted: s5, s6, s7" {
			t.Error(got)
		}
	})
}
