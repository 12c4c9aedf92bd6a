package notify_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// run is one that ends so, at a commit.
func run(state, commit string) report.Run {
	r := report.Run{Stack: "prod", Started: time.Unix(1, 0), Revision: source.Revision{Commit: commit}, Pass: &engine.Pass{}}
	switch state {
	case "failed":
		r.Pass.Failures = []engine.Failure{{Key: manifest.Key{Kind: "Server", Name: "web"}, Reason: "no valid host"}}
	case "held":
		r.Pass.Last.Held = "would delete 9 of 10 objects"
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
	case "healed":
		r.Pass.First.Steps = []plan.Step{{Key: manifest.Key{Kind: "Network", Name: "front"}, Action: plan.Update, Drift: true}}
	}
	return r
}

// Receivers hear when a stack gets into a state, once, and when it is well again.
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

// Two rules are independent, and what they are told names what it is about.
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
		"a: stack prod is failed at commit 0123456789 (error, [Server]) no valid host",
		"b: stack prod is failed at commit 0123456789 (error, [Server]) no valid host",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What was told of a stack is remembered by whoever looks after it next, until it is no stack any more.
func TestMemory(t *testing.T) {
	rules, m := []notify.Rule{{Name: "a", Least: notify.Error}}, notify.NewMemory()
	var got []string
	ran := func(state string) {
		notify.New("prod", rules, m, func(_ *notify.Rule, n notify.Notification) { got = append(got, n.State) }).Ran(run(state, "a"))
	}
	ran("failed")
	ran("failed")
	m.Keep([]string{"prod", "test"})
	ran("ok")
	ran("failed")
	m.Keep([]string{"test"})
	ran("ok")
	if want := []string{"failed", "in sync", "failed"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}
