package plan

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The next upkeep of a plan is the earliest one of all its objects. WithoutLosses leaves out upkeep that removes something.
func TestUpkeepOfAPlan(t *testing.T) {
	t.Parallel()
	at := func(unix ...int64) (p Plan) {
		p.Steps = []Step{{}, {Object: Object{Upkeep: &kind.Upkeep{}}}}
		for _, u := range unix {
			p.Steps = append(p.Steps, Step{Object: Object{Upkeep: &kind.Upkeep{Next: time.Unix(u, 0)}}})
		}
		return p
	}
	for _, c := range []struct {
		plan Plan
		want time.Time
	}{{at(), time.Time{}}, {at(7), time.Unix(7, 0)}, {at(9, 7, 8), time.Unix(7, 0)}, {at(7, 9), time.Unix(7, 0)}} {
		if got := c.plan.Due(); !got.Equal(c.want) {
			t.Errorf("due at %v, want %v", got, c.want)
		}
	}
	keep, lose := kind.Change{Field: "a"}, kind.Change{Field: "b", Loss: "its disk"}
	both := Step{Action: Keep, Object: Object{Upkeep: &kind.Upkeep{Due: []kind.Change{keep, lose}}}}
	if s := both.WithoutLosses(); len(s.Upkeep.Due) != 1 || s.Upkeep.Due[0].Field != "a" || len(both.Upkeep.Due) != 2 {
		t.Errorf("due is %v, and was %v", s.Upkeep.Due, both.Upkeep.Due)
	}
	if (Step{}).WithoutLosses().Upkeep != nil {
		t.Error("an object without upkeep has some")
	}
	for name, c := range map[string]struct {
		step Step
		due  bool
	}{
		"kept":           {both, true},
		"changed anyway": {Step{Action: Update, Object: both.Object}, false},
		"nothing ever":   {Step{Action: Keep}, false},
		"nothing now":    {Step{Action: Keep, Object: Object{Upkeep: &kind.Upkeep{Next: time.Unix(7, 0)}}}, false},
	} {
		if s, due := c.step.Tending(); due != c.due || due && (s.Action != Update || !s.IsUpkeep || len(s.Changes) != 2) {
			t.Errorf("%s: %s, due %t", name, s.Action, due)
		}
	}
}

// The outcome of a plan says whether it cannot be carried out, has nothing left to do, or still has steps.
func TestWhatAPlanComesTo(t *testing.T) {
	t.Parallel()
	held := Restraint{Held: cause.List{cause.Of(cause.Gone)}}
	for name, c := range map[string]struct {
		plan      Plan
		outcome   Outcome
		stopped   bool
		unseen    bool
		differing int
	}{
		"nothing to do":       {Plan{Steps: []Step{{Action: Keep}}}, InSync, false, false, 0},
		"something to do":     {Plan{Steps: []Step{{Action: Keep}, {Action: Update}}}, OutOfSync, false, false, 1},
		"something reported":  {Plan{Steps: []Step{{Action: Keep, Comparison: Comparison{Changes: []kind.Change{{}}}}}}, OutOfSync, false, false, 1},
		"an error":            {Plan{Steps: []Step{{Action: Refuse, Error: true}}}, Broken, false, false, 1},
		"held":                {Plan{Restraint: held}, OutOfSync, true, false, 0},
		"suspended":           {Plan{Restraint: Restraint{Suspended: "f"}}, InSync, true, false, 0},
		"gone back":           {Plan{Outlook: Outlook{Fallbacks: []Fallback{{}}}}, Broken, false, false, 0},
		"cannot be listed":    {Plan{Lists: Lists{Unlisted: []string{"a"}}}, Broken, false, true, 0},
		"cannot log in":       {Plan{Lists: Lists{Unlisted: []string{"a"}, Closed: 1}}, Broken, false, false, 0},
		"one of them can":     {Plan{Lists: Lists{Unlisted: []string{"a", "b"}, Closed: 1}}, Broken, false, true, 0},
		"held and suspended":  {Plan{Restraint: Restraint{Held: held.Held, Suspended: "f"}}, OutOfSync, true, false, 0},
		"in sync by its sums": {Plan{}, InSync, false, false, 0},
	} {
		if p := c.plan; p.Outcome() != c.outcome || p.Stopped() != c.stopped || p.ListsIncomplete() != c.unseen || p.Differing() != c.differing || p.InSync() != (c.outcome == InSync) {
			t.Errorf("%s: %s, stopped %t, unseen %t, %d differ", name, p.Outcome(), p.Stopped(), p.ListsIncomplete(), p.Differing())
		}
	}
}
