package engine

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// An answer or a list shows one of these effects of a step: none, that the cloud works on the object, or the result.
func TestEffectsOfSteps(t *testing.T) {
	usable, pending, broke, used := &kind.Live{ID: "id", Phase: kind.Ready}, &kind.Live{ID: "id", Phase: kind.Pending}, &kind.Live{ID: "id", Phase: kind.Failed}, &kind.Live{ID: "id", Phase: kind.Pending, InUse: true}
	for name, c := range map[string]struct {
		action plan.Action
		o      outcome
		want   effect
	}{
		"an error":                 {plan.Create, outcome{result: Result{Err: kind.ErrBusy}}, visible},
		"the mark is off":          {plan.Detach, outcome{}, visible},
		"it is gone":               {plan.Delete, outcome{gone: true}, visible},
		"it is going":              {plan.Delete, outcome{}, underway},
		"it was changed":           {plan.Update, outcome{live: usable}, unseen},
		"it is there":              {plan.Create, outcome{live: usable}, visible},
		"it is there, and in use":  {plan.Create, outcome{live: used}, visible},
		"it is being made":         {plan.Create, outcome{live: pending}, underway},
		"nobody says what is made": {plan.Create, outcome{}, underway},
	} {
		if c.o.result.Step.Action = c.action; effectOfAnswer(c.o) != c.want {
			t.Errorf("%s: %v", name, effectOfAnswer(c.o))
		}
	}
	for name, c := range map[string]struct {
		action plan.Action
		have   *kind.Live
		want   effect
	}{
		"deleted":               {plan.Delete, nil, visible},
		"deleted, and made new": {plan.Recreate, &kind.Live{ID: "new"}, visible},
		"still there":           {plan.Recreate, usable, underway},
		"not there yet":         {plan.Create, nil, underway},
		"made":                  {plan.Create, usable, visible},
		"in use":                {plan.Update, used, visible},
		"made, and broken":      {plan.Create, broke, broken},
		"being made":            {plan.Create, pending, underway},
	} {
		s := plan.Step{Action: c.action, Object: plan.Object{Have: &kind.Live{ID: "id"}}}
		if got := effectOfList(s, c.have); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The merged object has the fields of the preferred entry's view. It has a mark, and is in the stack's project, if
// any view says so.
func TestOneObjectOfSeveralViews(t *testing.T) {
	mark := &kind.Mark{Owner: "x"}
	view := func(entry string, own bool, mark *kind.Mark) kind.Live {
		return kind.Live{ID: "id", Entry: entry, InOwnProject: own, Mark: mark}
	}
	for name, c := range map[string]struct {
		views   []kind.Live
		prefer  string
		through string
		own     bool
		marked  bool
	}{
		"nobody prefers one":               {[]kind.Live{view("", false, nil), view("b", false, nil)}, "-", "", false, false},
		"the stack's own":                  {[]kind.Live{view("", false, nil), view("b", true, nil)}, "-", "b", true, false},
		"the one with the mark":            {[]kind.Live{view("", true, nil), view("b", true, mark)}, "-", "b", true, true},
		"the first with a mark":            {[]kind.Live{view("", true, mark), view("b", true, mark)}, "-", "", true, true},
		"a mark in another project":        {[]kind.Live{view("", true, nil), view("b", false, mark)}, "-", "", true, false},
		"preferred, and marked":            {[]kind.Live{view("", true, nil), view("b", true, mark)}, "b", "b", true, true},
		"preferred, and not marked":        {[]kind.Live{view("", true, mark), view("b", true, nil)}, "b", "b", true, true},
		"preferred, and in no own project": {[]kind.Live{view("", true, mark), view("b", false, mark)}, "b", "b", true, true},
		"preferred, and does not show it":  {[]kind.Live{view("", true, mark), view("b", true, nil)}, "c", "", true, true},
	} {
		got := mergeViews(c.views, func(*kind.Live) (string, bool) { return c.prefer, c.prefer != "-" })
		if got.Entry != c.through || got.InOwnProject != c.own || (got.Mark != nil) != c.marked || len(got.OtherViews) != 2 {
			t.Errorf("%s: through %q, own %t, marked %t", name, got.Entry, got.InOwnProject, got.Mark != nil)
		}
	}
	if got := mergeViews([]kind.Live{view("b", false, nil)}, nil); got.Entry != "b" || got.OtherViews != nil {
		t.Errorf("one view: %+v", got)
	}
}
