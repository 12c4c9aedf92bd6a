package guard

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

var day = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)

func TestSharesAndNumbersOfALimit(t *testing.T) {
	t.Parallel()
	for text, of100 := range map[string]int{"0": 0, " 7 ": 7, "0%": 0, "100%": 100, "12.5%": 13, "-0%": 0} {
		if l, err := ParseLimit(text); err != nil || l.countOf(100) != of100 {
			t.Errorf("%q is %v, of a hundred %d: %v", text, l, l.countOf(100), err)
		}
	}
	for _, text := range []string{"", "-1", "x", "1.5", "-1%", "101%", "x%", "%", "NaN%"} {
		if l, err := ParseLimit(text); err == nil {
			t.Errorf("%q is %v", text, l)
		}
	}
}

// If several policies suspend a plan, people read the reason of the first one.
func TestTheFirstReasonStays(t *testing.T) {
	t.Parallel()
	p := plan.Plan{}.Apply(Suspend("first"), Suspend("second"), Manual("third"), Manual("fourth"))
	if p.Suspended != "first" || p.Manual != "third" {
		t.Errorf("suspended since %q, manual since %q", p.Suspended, p.Manual)
	}
}

// A closed window suspends a plan, or refuses the steps that destroy something. For an open window, the plan has the
// time at which it closes. If there are several, the earliest time counts.
func TestWindows(t *testing.T) {
	t.Parallel()
	closed := func(time.Time) (time.Time, string) { return time.Time{}, "not on Sundays" }
	until := func(hours int) func(time.Time) (time.Time, string) {
		return func(at time.Time) (closes time.Time, why string) {
			if hours != 0 {
				closes = at.Add(time.Duration(hours) * time.Hour)
			}
			return closes, ""
		}
	}
	for name, c := range map[string]struct {
		policies []plan.Policy
		want     string // the actions, why the plan is suspended, and in how many hours both windows close
	}{
		"closed":             {[]plan.Policy{Within(closed)}, `[delete create replace update keep] "not on Sundays" 0 0`},
		"closed and open":    {[]plan.Policy{Within(until(3)), Within(closed)}, `[delete create replace update keep] "not on Sundays" 3 0`},
		"open":               {[]plan.Policy{Within(until(3))}, `[delete create replace update keep] "" 3 0`},
		"always open":        {[]plan.Policy{Within(until(0))}, `[delete create replace update keep] "" 0 0`},
		"the first closes":   {[]plan.Policy{Within(until(2)), Within(until(3))}, `[delete create replace update keep] "" 2 0`},
		"the second closes":  {[]plan.Policy{Within(until(3)), Within(until(2))}, `[delete create replace update keep] "" 2 0`},
		"one never closes":   {[]plan.Policy{Within(until(3)), Within(until(0))}, `[delete create replace update keep] "" 3 0`},
		"destroys nothing":   {[]plan.Policy{DestroyWithin(closed)}, `[refuse create refuse refuse keep] "" 0 0`},
		"destroys until":     {[]plan.Policy{DestroyWithin(until(4)), DestroyWithin(until(5))}, `[delete create replace update keep] "" 0 4`},
		"until the sooner":   {[]plan.Policy{DestroyWithin(until(5)), DestroyWithin(until(4))}, `[delete create replace update keep] "" 0 4`},
		"changes and others": {[]plan.Policy{Within(until(1)), DestroyWithin(until(5))}, `[delete create replace update keep] "" 1 5`},
	} {
		p := toDestroy(nil, "delete Server 1", "create Server 1", "replace Server 1", "wipe Server 1", "keep Server 1")
		p.At = day
		p = p.Apply(c.policies...)
		in := func(at time.Time) (hours float64) {
			if !at.IsZero() {
				hours = at.Sub(day).Hours()
			}
			return hours
		}
		if got := fmt.Sprintf("%s %q %v %v", actions(p), p.Suspended, in(p.Closes), in(p.HarmCloses)); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
		for _, s := range p.Steps {
			if s.Action == plan.Refuse && !s.Causes.Is(cause.Window) {
				t.Errorf("%s: refused for %s", name, codes(s.Causes))
			}
		}
	}
}

// actions returns the actions of the steps of a plan, in their order.
func actions(p plan.Plan) (all []plan.Action) {
	for _, s := range p.Steps {
		all = append(all, s.Action)
	}
	return all
}

// Each policy changes only the steps that it is about.
func TestWhatPoliciesMakeOfAStep(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	want := func(report *bool) plan.Object {
		return plan.Object{Want: &kind.Desired{Options: kind.Options{Report: report}}, Have: &kind.Live{ID: "1"}}
	}
	gone := plan.Object{Have: &kind.Live{ID: "1"}}
	surplus := plan.Object{Have: &kind.Live{ID: "1"}, Surplus: true}
	failed := plan.Object{Want: &kind.Desired{}, Have: &kind.Live{ID: "1", Phase: kind.Failed}}
	for name, c := range map[string]struct {
		policy plan.Policy
		step   plan.Step
		want   string
	}{
		"no pruning: gone":               {NoPrune, plan.Step{Action: plan.Delete, Object: gone, Error: true}, "keep [gone kept-unpruned]"},
		"no pruning: let go":             {NoPrune, plan.Step{Action: plan.Detach, Object: gone}, "keep [gone mark-kept-unpruned]"},
		"no pruning: a surplus copy":     {NoPrune, plan.Step{Action: plan.Delete, Object: surplus}, "delete []"},
		"no pruning: a spare member":     {NoPrune, plan.Step{Action: plan.Delete, Object: gone, Manner: plan.Manner{Spare: true}}, "delete []"},
		"no pruning: refused and in use": {NoPrune, plan.Step{Action: plan.Refuse, Object: gone, Manner: plan.Manner{InUse: true}, Error: true}, "keep [gone kept-unpruned]"},
		"no pruning: refused otherwise":  {NoPrune, plan.Step{Action: plan.Refuse, Object: gone, Error: true}, "refuse [] error"},
		"no pruning: replaced":           {NoPrune, plan.Step{Action: plan.Recreate, Object: want(nil)}, "replace []"},
		"report: drift":                  {ReportDrift(true), plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}, Object: want(nil)}, "keep [only-reported]"},
		"report: a commit":               {ReportDrift(true), plan.Step{Action: plan.Update, Object: want(nil)}, "update []"},
		"report: kept":                   {ReportDrift(true), plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Drift: true}, Object: want(nil)}, "keep []"},
		"report: corrected by annotation": {
			ReportDrift(true), plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}, Object: want(&no)}, "update []",
		},
		"report: only by annotation":       {ReportDrift(false), plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}, Object: want(&yes)}, "keep [only-reported]"},
		"report: not by default":           {ReportDrift(false), plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}, Object: want(nil)}, "update []"},
		"report: deleted by somebody":      {ReportDrift(true), plan.Step{Action: plan.Create, Comparison: plan.Comparison{Drift: true}, Object: plan.Object{Want: &kind.Desired{}}}, "keep [only-reported] metadata.name"},
		"report: broken":                   {ReportDrift(true), plan.Step{Action: plan.Recreate, Comparison: plan.Comparison{Drift: true}, Object: failed, Causes: cause.List{cause.Of(cause.Failed)}}, "keep [failed only-reported]"},
		"caution: created":                 {Cautious, plan.Step{Action: plan.Create}, "create []"},
		"caution: changed by a commit":     {Cautious, plan.Step{Action: plan.Update, Object: want(nil)}, "keep [newer-commit]"},
		"caution: changed by somebody":     {Cautious, plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}, Object: want(nil)}, "update []"},
		"caution: of this very manifest":   {Cautious, plan.Step{Action: plan.Update, Manner: plan.Manner{ManifestUnchanged: true}, Object: want(nil)}, "update []"},
		"caution: replaced after drift":    {Cautious, plan.Step{Action: plan.Recreate, Comparison: plan.Comparison{Drift: true}, Object: want(nil)}, "keep [newer-commit]"},
		"caution: deleted":                 {Cautious, plan.Step{Action: plan.Delete, Object: gone}, "keep [newer-commit]"},
		"caution: a surplus copy":          {Cautious, plan.Step{Action: plan.Delete, Object: surplus}, "delete []"},
		"caution: waits":                   {Cautious, plan.Step{Action: plan.Wait, Object: want(nil), Causes: cause.List{cause.Of(cause.BeingDeleted)}}, "wait [being-deleted]"},
		"the end of a stack":               {Ending(), plan.Step{Action: plan.Delete, Object: gone, Causes: cause.List{cause.Of(cause.Gone)}}, "delete [stack-ends]"},
		"the end of a stack: another word": {Ending(), plan.Step{Action: plan.Delete, Object: gone, Causes: cause.List{cause.Of(cause.SpareUnneeded)}}, "delete [spare-unneeded]"},
	} {
		other := plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}, Object: want(&yes)} // with this step, every policy copies the plan
		s := plan.Plan{Steps: []plan.Step{c.step, other}}.Apply(c.policy).Steps[0]
		got := fmt.Sprint(s.Action, " ", codes(s.Causes))
		if s.Error {
			got += " error"
		}
		for _, change := range s.Changes {
			got += " " + change.Field
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The objects that a plan creates may exist in another project. Unless always is true, that is ignored for a stack that
// owns objects in its project.
func TestWhatIsMadeElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		owned  int
		steps  []string
		always bool
		want   bool
	}{
		"the first object":             {0, []string{"create Server 1"}, false, true},
		"another object":               {1, []string{"create Server 1"}, false, false},
		"another object, and always":   {1, []string{"create Server 1"}, true, true},
		"nothing is created":           {0, []string{"update Server 1"}, false, false},
		"nothing is created, always":   {1, []string{"keep Server 1"}, true, false},
		"among others, it is created":  {0, []string{"keep Server 1", "create Server 1"}, false, true},
		"there is nothing in the plan": {0, nil, true, false},
	} {
		p := toDestroy(nil, c.steps...)
		p.Owned = c.owned
		if got := !p.Apply(HoldIfOtherProject(cause.Of(cause.Told, "b"), c.always)).Elsewhere.IsZero(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
