package decide

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// garden is an object whose upkeep waters it each day, and removes its oldest flower.
type garden struct {
	Near string `json:"near,omitempty" ref:"Garden"`
}

var gardening = typed.Kind[garden, struct{}, garden]{
	Info: kind.Info{Group: "test", Version: "v1", Kind: "Garden"},
	Upkeep: func(_ typed.Want[garden], _ *garden, now time.Time) kind.Upkeep {
		return kind.Upkeep{Due: []kind.Change{{Field: "water", Want: "today"}, {Field: "flowers", Loss: "the oldest flower"}}, Next: now.Add(24 * time.Hour), Overdue: "is dry"}
	},
}

// gardens returns the plan for gardens with these specs, made at the time now. The gardens in applied exist in the cloud. applied has the
// digests in their marks; "" stands for the digest of the manifest.
func gardens(t *testing.T, now time.Time, texts map[string]string, applied map[string]string) plan.Plan {
	t.Helper()
	k := gardening.Flat()
	files := fstest.MapFS{}
	for name, spec := range texts {
		files[name+".yaml"] = &fstest.MapFile{Data: []byte("apiVersion: test/v1\nkind: Garden\nmetadata: {name: " + name + "}\nspec: " + spec + "\n")}
	}
	want, _, err := resolve.Read(files, []*kind.Kind{k})
	if err != nil {
		t.Fatal(err)
	}
	var have kind.Collection
	for i := range want {
		m := want[i].PlainMark("s")
		if a, there := applied[want[i].Key.Name]; !there {
			continue
		} else if a != "" {
			m.Applied = a
		}
		have.Items = append(have.Items, &kind.Live{ID: want[i].Key.Name, Name: want[i].Key.Name, Mark: &m, InOwnProject: true, Phase: kind.Ready, State: new(garden)})
	}
	return Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{k}, Want: want, Have: kind.Snapshot{"Garden": have}, Now: now})
}

func stepFor(t *testing.T, p plan.Plan, name string) plan.Step {
	t.Helper()
	for _, s := range p.Steps {
		if s.Key == (manifest.Key{Group: "test", Kind: "Garden", Namespace: "default", Name: name}) {
			return s
		}
	}
	t.Fatalf("no step for %s", name)
	return plan.Step{}
}

// Upkeep is not included in any count or hash of a plan. Only [plan.Step.Tending] returns it.
func TestUpkeepIsNoDifference(t *testing.T) {
	now := time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC)
	p, never := gardens(t, now, map[string]string{"a": "{}"}, map[string]string{"a": ""}), gardens(t, time.Time{}, map[string]string{"a": "{}"}, map[string]string{"a": ""})
	update, due := stepFor(t, p, "a").Tending()
	if !p.InSync() || p.Differing() != 0 || p.Summary().Writes() != 0 || p.Summary().Drifted != 0 || p.Outcome() != plan.InSync || p.Hash() != never.Hash() || len(p.Fingerprints()) != 0 {
		t.Errorf("the plan is %v", p.Summary())
	}
	if _, harms := update.Harm(); !due || update.Action != plan.Update || len(update.Changes) != 2 || harms || !update.IsUpkeep || update.Drift {
		t.Errorf("due is %v: %v", due, update.Changes)
	}
	if held := p.Apply(guard.Brake(guard.Limits{}, nil)); held.Held != nil {
		t.Errorf("the brake holds it: %s", held.Held)
	}
	if _, due := stepFor(t, never, "a").Tending(); due || !p.Due().Equal(now.Add(24*time.Hour)) || !never.Due().IsZero() {
		t.Errorf("next at %s, and without a clock at %s", p.Due(), never.Due())
	}
	if why := stepFor(t, p, "a").Overdue(); why != "is dry" {
		t.Errorf("overdue: %q", why)
	}
}

// No upkeep is due for an object that a commit changes first, or while an object that it refers to is missing. If the present manifest was
// not applied to an object, upkeep removes nothing from it.
func TestUpkeepWaits(t *testing.T) {
	now := time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC)
	texts := map[string]string{"a": "{}", "b": "{near: a}"}
	if _, due := stepFor(t, gardens(t, now, texts, map[string]string{"a": "", "b": "other"}), "b").Tending(); due {
		t.Error("something is due of what a commit changes")
	}
	if _, due := stepFor(t, gardens(t, now, texts, map[string]string{"b": ""}), "b").Tending(); due {
		t.Error("something is due beside what is not there")
	}
	p := gardens(t, now, texts, map[string]string{"a": "", "b": ""})
	if _, due := stepFor(t, p, "b").Tending(); !due {
		t.Error("nothing is due beside what is there")
	}
	if update, _ := stepFor(t, p.Apply(guard.Cautious), "b").Tending(); len(update.Changes) != 1 || update.Changes[0].Field != "water" {
		t.Errorf("a cautious agent does %v", update.Changes)
	}
}

// A change in place that destroys something is harm. An approval of other changes does not cover it.
func TestALossInPlaceIsHarm(t *testing.T) {
	s := plan.Step{Key: manifest.Key{Kind: "Garden", Name: "a"}, Action: plan.Update, Object: plan.Object{Want: &kind.Desired{}, Have: &kind.Live{ID: "1"}}, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.keep", Loss: "flowers", Destroys: true}}}}
	gentle := s
	gentle.Changes = []kind.Change{{Field: "spec.keep"}}
	if d, harms := s.Harm(); !harms || d != kind.Rebuild {
		t.Errorf("harm is %v, %v", d, harms)
	}
	if _, harms := gentle.Harm(); harms {
		t.Error("a change that loses nothing is harm")
	}
	for _, d := range []kind.Disruption{kind.InPlace, kind.Reboot} {
		gentle.Changes[0].Disruption = d
		leave := plan.Plan{Stack: "s", Commit: "c", Steps: []plan.Step{gentle}}
		a := plan.Approval{Hash: leave.Hash(), Commit: "c", Proof: leave.Proof()}
		if a.Covers(plan.Plan{Stack: "s", Commit: "c", Steps: []plan.Step{s}}) {
			t.Errorf("leave for a change (%s) covers one with a loss", d)
		}
	}
}
