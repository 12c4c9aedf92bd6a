package kindtest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

var written = regexp.MustCompile(`kind: (\w+)\nmetadata: \{name: ([-.a-z0-9]+)\}`)

// renamed is a law. It gives the object another name, with the annotation that contains its old
// name, and then removes the annotation again. In the cloud it must stay the same object, with all
// its data.
func (s Suite) renamed(t *testing.T, g *Target) {
	found := written.FindAllStringSubmatch(s.Object, -1)
	i := slices.IndexFunc(found, func(m []string) bool { return len(found) == 1 || m[1] == s.Key.Kind && m[2] == s.Key.Name })
	if i < 0 {
		t.Fatalf("the manifest does not name %s", s.Key)
	}
	kind, name := found[i][1], found[i][2]
	other := s
	other.Key.Name = name + "-renamed" + strings.TrimPrefix(s.Key.Name, name)
	annotated := func(now, was string) string {
		metadata := "metadata: {name: " + now
		if was != "" {
			metadata += ", annotations: {stackreeve.dev/moved-from: " + kind + "/" + was + "}"
		}
		as := "kind: " + kind + "\n"
		object := strings.NewReplacer(as+"metadata: {name: "+name, as+metadata, "GroupRef: "+name+"}", "GroupRef: "+now+"}").Replace(s.Object)
		return s.Needs + "\n---\n" + object
	}
	g.MustSync(s.all())
	id := s.step(t, g.Plan(s.all())).ID()
	moved := annotated(name+"-renamed", name)
	if step := other.step(t, g.Plan(moved)); step.Action == plan.Recreate && step.ID() == id {
		t.Skip("its name is what it is: ", describe(step.Changes))
	}
	pass := g.MustSync(moved)
	if step := other.step(t, pass.Last); step.ID() != id {
		t.Errorf("it is %s now and was %s", step.ID(), id)
	}
	for _, r := range pass.Results {
		if r.Step.Drift || s.isKind(r.Step) && r.Step.Action != plan.Update {
			t.Errorf("%s %s: %s; drift: %v", r.Step.Action, r.Step.Key, r.Step.FullCause(), r.Step.Drift)
		}
	}
	if !slices.ContainsFunc(pass.Last.Steps, hasToStay) {
		moved = annotated(name+"-renamed", "")
	}
	if p := g.Plan(moved); p.Summary().Writes() > 0 {
		t.Errorf("once it is renamed: %v", unfinishedSteps(p))
	}
	if pass := g.MustSync(annotated(name, name+"-renamed")); s.step(t, pass.Last).ID() != id {
		t.Errorf("it is %s in the end and was %s", s.step(t, pass.Last).ID(), id)
	}
}

func (s Suite) isKind(step plan.Step) bool { return step.Key.Kind == s.Key.Kind }

// hasToStay reports whether a plan says that the annotation cannot be removed yet.
func hasToStay(step plan.Step) bool {
	return slices.ContainsFunc(step.Notes, func(n kind.Note) bool { return strings.Contains(n.Field, "/moved-from") })
}
