package plan

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// A difference that no commit explains is drift, whether the step corrects it or not. DriftText says who caused it. If that is unknown,
// DriftText has a text only for changes and deletions.
func TestDriftOfAStep(t *testing.T) {
	t.Parallel()
	colour, gone := []kind.Change{{Field: "colour"}}, []kind.Change{{Field: "metadata.name"}}
	ada, nobody := &kind.Trace{Who: "ada"}, &kind.Trace{}
	have, failed := &kind.Live{ID: "1"}, &kind.Live{ID: "1", Phase: kind.Failed}
	for name, c := range map[string]struct {
		step                     Step
		drifts, vanished, traced bool // traced is true if DriftText returns a text without a Trace
	}{
		"corrected":              {Step{Action: Update, Comparison: Comparison{Drift: true, Changes: colour}, Object: Object{Have: have}}, true, false, true},
		"reported":               {Step{Action: Keep, Comparison: Comparison{Drift: true, Changes: colour}, Object: Object{Have: have}}, true, false, true},
		"nothing differs":        {Step{Action: Keep, Comparison: Comparison{Drift: true}, Object: Object{Have: have}}, false, false, false},
		"a commit":               {Step{Action: Update, Comparison: Comparison{Changes: colour}, Object: Object{Have: have}}, false, false, false},
		"made again":             {Step{Action: Create, Comparison: Comparison{Drift: true}}, true, true, true},
		"not made again":         {Step{Action: Keep, Comparison: Comparison{Drift: true, Changes: gone}}, true, true, true},
		"a name that differs":    {Step{Action: Keep, Comparison: Comparison{Drift: true, Changes: gone}, Object: Object{Have: have}}, true, false, true},
		"a field of nothing":     {Step{Action: Keep, Comparison: Comparison{Drift: true, Changes: colour}}, true, false, true},
		"two fields of nothing":  {Step{Action: Keep, Comparison: Comparison{Drift: true, Changes: append(slices.Clone(gone), colour...)}}, true, false, true},
		"no field of nothing":    {Step{Action: Keep, Comparison: Comparison{Drift: true}}, false, false, false},
		"waits":                  {Step{Action: Wait, Comparison: Comparison{Drift: true, Changes: gone}}, true, false, false},
		"replaced":               {Step{Action: Recreate, Comparison: Comparison{Drift: true, Changes: colour}, Object: Object{Have: have}}, true, false, false},
		"broken":                 {Step{Action: Update, Comparison: Comparison{Drift: true, Changes: colour}, Object: Object{Have: failed}}, true, false, false},
		"refused":                {Step{Action: Refuse, Comparison: Comparison{Drift: true, Changes: colour}, Object: Object{Have: have}}, true, false, false},
		"changed and not by all": {Step{Action: Update, Comparison: Comparison{Drift: true}, Object: Object{Have: have}}, true, false, true},
	} {
		s := c.step
		if s.Drifting() != c.drifts || s.Vanished() != c.vanished || s.DriftText() != "" != c.traced {
			t.Errorf("%s: drifts %t, vanished %t: %q", name, s.Drifting(), s.Vanished(), s.DriftText())
		}
		done := map[bool]string{true: "deleted in the cloud", false: "changed in the cloud"}[c.vanished]
		if c.traced && s.DriftText() != done {
			t.Errorf("%s: %q", name, s.DriftText())
		}
		s.Trace = ada
		if said := s.DriftText() == ada.Text(done); said != c.drifts {
			t.Errorf("%s, and ada did it: %q", name, s.DriftText())
		}
		s.Trace = nobody
		if said := s.DriftText() == nobody.Text(done); said != c.traced {
			t.Errorf("%s, and the cloud does not say whose it is: %q", name, s.DriftText())
		}
		asked := 0
		p := Plan{Steps: []Step{s, {Action: Update}}}.WithTraces(func(Step) *kind.Trace { asked++; return ada })
		if asked == 1 != c.drifts || len(p.Drifting()) != asked || p.Steps[1].Trace != nil || (p.Steps[0].Trace == ada) != c.drifts {
			t.Errorf("%s: asked %d times, %d steps drift", name, asked, len(p.Drifting()))
		}
	}
}

// Two steps have the same Difference if everything that people see of it is equal.
func TestTheSameDifference(t *testing.T) {
	t.Parallel()
	made := func() Step {
		return Step{Key: named("a"), Action: Update, Comparison: Comparison{Changes: []kind.Change{{Field: "f", Have: 1, Want: 2}}}, Object: Object{Have: &kind.Live{ID: "1"}, Lost: "0"}}
	}
	for name, c := range map[string]struct {
		change func(*Step)
		same   bool
	}{
		"the reason":        {func(s *Step) { s.Causes = cause.List{cause.Of(cause.Gone)} }, true},
		"the name":          {func(s *Step) { s.Key = named("b") }, false},
		"the action":        {func(s *Step) { s.Action = Keep }, false},
		"the object":        {func(s *Step) { s.Have = nil }, false},
		"the one before":    {func(s *Step) { s.Lost = "" }, false},
		"the field":         {func(s *Step) { s.Changes[0].Field = "g" }, false},
		"what it is":        {func(s *Step) { s.Changes[0].Have = 3 }, false},
		"what it shall be":  {func(s *Step) { s.Changes[0].Want = 3 }, false},
		"one field more":    {func(s *Step) { s.Changes = append(s.Changes, kind.Change{Field: "g"}) }, false},
		"how it is written": {func(s *Step) { s.Changes[0].Way = "trim" }, true},
	} {
		s := made()
		if c.change(&s); s.Difference() == made().Difference() != c.same {
			t.Errorf("%s: the same difference: %t", name, !c.same)
		}
	}
}

// An object inherits the labels of its parent, except labels that it has itself.
func TestLabelsAreInherited(t *testing.T) {
	t.Parallel()
	of := func(name string, labels ...string) *kind.Desired {
		d := &kind.Desired{Key: named(name), Object: &manifest.Object{}}
		if len(labels) > 0 {
			d.Object.Labels = map[string]string{}
		}
		for i := 0; i < len(labels); i += 2 {
			d.Object.Labels[labels[i]] = labels[i+1]
		}
		return d
	}
	work := func(d *kind.Desired, name, parent string) Workload {
		return Workload{Key: named(name), Parent: named(parent), Want: d}
	}
	p := Plan{
		Workloads: []Workload{work(of("top", "team", "a", "tier", "1"), "top", ""), work(of("group", "tier", "2"), "group", "top"), work(nil, "none", "top"), work(&kind.Desired{}, "bare", "top"), work(of("x", "k", "x"), "x", "y"), work(of("y", "k", "y"), "y", "x")},
		Steps: []Step{
			{Key: named("plain"), Source: Source{Parent: named("group")}, Object: Object{Want: of("plain")}},
			{Key: named("own"), Source: Source{Parent: named("group")}, Object: Object{Want: of("own", "team", "b", "own", "c")}},
			{Key: named("gone"), Source: Source{Parent: named("group")}},
			{Key: named("below none"), Source: Source{Parent: named("none")}, Object: Object{Want: of("below none")}},
			{Key: named("below bare"), Source: Source{Parent: named("bare")}, Object: Object{Want: of("below bare")}},
			{Key: named("orphan"), Source: Source{Parent: named("nobody")}, Object: Object{Want: of("orphan", "o", "1")}},
		},
	}
	got := p.Labels()
	for name, want := range map[string]map[string]string{
		"top": {"team": "a", "tier": "1"}, "group": {"team": "a", "tier": "2"}, "plain": {"team": "a", "tier": "2"}, "own": {"team": "b", "own": "c", "tier": "2"},
		"gone": nil, "below none": {"team": "a", "tier": "1"}, "below bare": {"team": "a", "tier": "1"}, "orphan": {"o": "1"},
	} {
		if !maps.Equal(got[named(name)], want) {
			t.Errorf("%s: %v, want %v", name, got[named(name)], want)
		}
	}
	if labels := p.Workloads[1].Want.Object.Labels; len(labels) != 1 {
		t.Errorf("a manifest has got further labels: %v", labels)
	}
}

// Other people can write names in the cloud. So secrets are removed from a name that comes only from the cloud, and from all notes.
func TestWhatIsTakenOutOfAPlan(t *testing.T) {
	t.Parallel()
	r := redact.New(slices.Values([]string{"hidden-word"}), slices.Values([]string{}))
	step := func(change func(*Step)) Step {
		s := Step{Key: named("hidden-word"), Remarks: Remarks{Notes: []kind.Note{{Text: "hidden-word"}}}, Object: Object{Have: &kind.Live{ID: "hidden-word", Name: "hidden-word"}}}
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		step  Step
		shown bool // whether the name is shown
	}{
		"by the cloud":    {step(func(*Step) {}), false},
		"by a manifest":   {step(func(s *Step) { s.Want = &kind.Desired{} }), true},
		"by a mark":       {step(func(s *Step) { s.Have.Name = "other" }), true},
		"by what is gone": {step(func(s *Step) { s.Have = nil }), true},
		"with what time due": {step(func(s *Step) {
			s.Upkeep = &kind.Upkeep{Due: []kind.Change{{Have: "hidden-word"}}, Overdue: "hidden-word"}
		}), false},
	} {
		p := Plan{Steps: []Step{c.step}, Workloads: []Workload{{Notes: []kind.Note{{Text: "hidden-word"}}}}, Lists: Lists{Unlisted: []string{"hidden-word"}}}.Redacted(r)
		s := p.Steps[0]
		if shown := s.Key.Name == "hidden-word"; shown != c.shown {
			t.Errorf("a name %s: shown %t", name, shown)
		}
		rest := fmt.Sprint(s.Notes, p.Workloads[0].Notes, p.Unlisted, s.ShownID(), s.Overdue(), s.Upkeep)
		if s.Upkeep != nil {
			rest += fmt.Sprint(s.Upkeep.Due)
		}
		if r.Text(rest) != rest || (s.Upkeep == nil) != (c.step.Upkeep == nil) {
			t.Errorf("%s: %s", name, rest)
		}
	}
}
