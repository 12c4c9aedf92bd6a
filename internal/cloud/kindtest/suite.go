package kindtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Suite describes a kind for the laws that test it.
type Suite struct {
	Kinds Kinds
	// Key is the object under test.
	Key manifest.Key
	// Needs are the manifests of the objects that it depends on.
	Needs string
	// Object is the manifest of the object under test, with as many fields set as possible.
	Object string
	// Edits change one field each. Edits that follow from the declaration of a field need not be
	// written.
	Edits []Edit
	// Unseen are the fields that the cloud does not return, or that cannot be changed alone, each
	// with the reason.
	Unseen map[string]string
	// Partial says that the suite tests only its own Edits, and none that are derived from
	// declarations. Another suite of the kind covers all fields. On a real cloud with -short, a
	// partial suite runs only the laws that depend on its fields (see [law]), unless it sets
	// Elsewhere.
	Partial bool
	// Together makes a test on a real cloud with -short carry out all compatible edits in one pass.
	// Each edit is still planned alone.
	Together bool
	// Elsewhere names the suites of other kinds that send the same requests. Because of them, a
	// test on a real cloud with -short only plans replacements and ways, and kills the agent at
	// fewer writes.
	Elsewhere string
	// Unadopted is the reason why the object cannot be adopted as the law does it; "" if it can be.
	// The kind has its own test of adoption then.
	Unadopted string
	// Simulator has the options of a simulator that differs from the default; nil for the default.
	Simulator *simulator.Options
	// Machines sends the agent's requests to services on machines.
	Machines outbound.Machines
	// Administrator makes the agent use an administrator's credentials.
	Administrator bool
	// MarksInDescriptions makes the agent store marks in descriptions.
	MarksInDescriptions bool
	// Older reduces the cloud's capabilities; nil leaves them unchanged.
	Older *Older
}

// Edit is a change of one field in the manifest. A plan compares the manifest with the cloud, so an
// edit has the same effect as the opposite change in the cloud.
type Edit struct {
	// Field is the path that the plan must report.
	Field string
	// Old is replaced by New in the manifest; Old must occur exactly once.
	Old, New string
	// Replaces is true if the field cannot be changed in place.
	Replaces bool
	// Way is the way in which the change is carried out, since the object's annotation asks for it;
	// "" without such an annotation. Each way that a field declares has an edit.
	Way string
	// Also lists further fields that may be reported together with it.
	Also []string
	// PlanOnly edits are not carried out, because the cloud under test cannot carry them out.
	PlanOnly bool
}

// Run tests the kind: one law after the other, in one stack, so that the objects that it depends on
// are created once. Each law first creates the state that it starts from, and can run alone.
func (s Suite) Run(t *testing.T) {
	g := NewTargetOn(t, s.Kinds, s.Simulator)
	g.Machines = s.Machines
	if s.Administrator {
		g = g.Beside("admin")
	}
	if s.MarksInDescriptions {
		g = g.MarksInDescriptions()
	}
	if s.Older != nil {
		g = g.Through(s.Older.Wrap)
	}
	before := g.projectObjects()
	s.narrow(t, g)
	for _, law := range s.laws() {
		if law.further && g.Brief() && s.Partial && s.Elsewhere == "" {
			continue // another suite of the kind tests this law
		}
		t.Run(law.name, func(t *testing.T) {
			before := g.wire.requests.Load()
			law.judge(t, g.In(t))
			t.Logf("%d requests", g.wire.requests.Load()-before)
		})
	}
	g.MustSync("")
	for what := range g.projectObjects() {
		if !before[what] {
			t.Errorf("%s was left in the cloud", what)
		}
	}
}

// law is a rule that every kind obeys. A further law has the same result for all objects of a kind,
// whatever their fields.
type law struct {
	name    string
	judge   func(*testing.T, *Target)
	further bool
}

func (s Suite) laws() []law {
	return []law{
		{"created and observed, nothing differs", s.created, false},
		{"each field alone is noticed and corrected", s.edited, false},
		{"spelt in another way, it is in sync", s.spelt, true},
		{"what vanishes is made again", s.vanished, true},
		{"a kill after any request leaks nothing", s.killed, true},
		{"a kill between the requests of a change is not taken for a change by people", s.editKilled, true},
		{"a lost answer duplicates nothing", s.lostAnswers, true},
		{"under another name, it is the same object", s.renamed, true},
		{"what people made is adopted as it is", s.adopted, true},
		{"detached, it stays and has no mark", s.detached, true},
		{"removed from the repository, nothing is left", s.removed, false},
	}
}

func (s Suite) narrow(t *testing.T, g *Target) {
	t.Helper()
	manifests := []string{s.all()}
	for _, e := range s.edits(t) {
		manifests = append(manifests, s.edit(t, e))
	}
	g.Only(manifests...)
}

func (s Suite) all() string { return s.Needs + "\n---\n" + s.Object }

func (s Suite) created(t *testing.T, g *Target) {
	g.MustSync(s.all())
	var count Counter
	pass := g.SyncThrough(s.all(), count.Wrap)
	if pass.Outcome() != plan.InSync || len(pass.Results) > 0 {
		t.Errorf("second pass: %s, %d steps carried out; plan: %v", pass.Outcome(), len(pass.Results), unfinishedSteps(pass.First))
	}
	if n := count.Writes.Load(); n > 0 {
		t.Errorf("second pass made %d writing requests, want none", n)
	}
	s.judgeStatuses(t, g, pass.Last)
}

// judgeStatuses checks the status of every object: it is about the manifest, so it contains no
// owner mark.
func (s Suite) judgeStatuses(t *testing.T, g *Target, planned plan.Plan) {
	t.Helper()
	for _, o := range status.Of(planned, s.Kinds(nil, defaults.Defaults{})) {
		if text, err := json.Marshal(o.Status); err != nil || strings.Contains(string(text), "stackreeve:"+g.Stack) {
			t.Errorf("the status of %s shows the owner mark, or cannot be encoded (%v): %s", o.Metadata.Name, err, text)
		}
	}
}

// edited is a law. It plans each edit, and then carries out those that the cloud can carry out.
// Each edit starts from the original object and restores it. A test on a real cloud with -short
// continues from one edit to the next.
func (s Suite) edited(t *testing.T, g *Target) {
	g.MustSync(s.all())
	planned, onward := g.Planner(s.all()), g.Brief()
	var together []Edit
	for _, e := range s.edits(t) {
		t.Run(strings.TrimSpace(e.Field+" "+e.Way), func(t *testing.T) {
			g, edited := g.In(t), s.edit(t, e)
			p := planned(edited)
			step := s.step(t, p)
			s.deniedByAll(t, p)
			want := plan.Update
			if e.Replaces {
				want = plan.Recreate
			}
			if step.Action != want {
				t.Errorf("action is %s, want %s; changes: %s", step.Action, want, describe(step.Changes))
			}
			s.onlyReports(t, step, e)
			s.inTheWay(t, step, e)
			switch plain := e.Way == "" && !e.Replaces; {
			case e.PlanOnly, onward && s.Elsewhere != "" && !plain:
				return
			case onward && s.Together && plain:
				together = append(together, e)
				return
			}
			if onward && e.Way != "" {
				g.MustSync(s.start(e))
			}
			if pass := g.MustSync(edited); e.Way != "" {
				s.sameObject(t, pass, e)
			}
			if !onward {
				g.MustSync(s.start(e))
			}
		})
	}
	s.editedTogether(t, g, planned, together)
	g.MustSync(s.all())
}

func (s Suite) onlyReports(t *testing.T, step plan.Step, e Edit) {
	t.Helper()
	seen := false
	for _, c := range step.Changes {
		if whole := manifest.Whole(step.Want.Body, c.Field); whole != "" {
			t.Errorf("reports %s, which no annotation can name: the declaration of %s says that it is one value", c.Field, whole)
		}
		reported := []kind.Change{c}
		seen = seen || kind.Has(reported, e.Field)
		expected := kind.Has(reported, e.Field) || c.Field == "owner mark"
		for _, also := range e.Also {
			expected = expected || kind.Has(reported, also)
		}
		if !expected {
			t.Errorf("also reports %s", describe(reported))
		}
	}
	if !seen {
		t.Errorf("does not report %s; changes: %s", e.Field, describe(step.Changes))
	}
}

func (s Suite) vanished(t *testing.T, g *Target) {
	g.MustSync(s.all())
	g.MustSync(s.Needs)
	pass := g.MustSync(s.all())
	if step := s.step(t, pass.First); step.Action != plan.Create {
		t.Errorf("action is %s, want create", step.Action)
	}
}

func (s Suite) removed(t *testing.T, g *Target) {
	g.MustSync(s.all())
	if pass := g.MustSync(""); pass.Last.Owned != 0 {
		t.Errorf("%d objects are left", pass.Last.Owned)
	}
}

func (s Suite) edit(t *testing.T, e Edit) string {
	t.Helper()
	if n := strings.Count(s.Object, e.Old); n != 1 {
		t.Fatalf("%q occurs %d times in the manifest, want once", e.Old, n)
	}
	s.Object = strings.Replace(s.Object, e.Old, e.New, 1)
	return s.start(e)
}

func (s Suite) step(t *testing.T, p plan.Plan) plan.Step {
	t.Helper()
	for _, step := range p.Steps {
		if step.Key == s.Key {
			return step
		}
	}
	t.Fatalf("the plan has no step for %s", s.Key)
	return plan.Step{}
}

func describe(changes []kind.Change) string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s: %v -> %v (%s)", c.Field, c.Have, c.Want, c.Disruption))
	}
	return strings.Join(out, "; ")
}
