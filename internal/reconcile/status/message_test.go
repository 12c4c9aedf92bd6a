package status

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// The message of a state contains all texts about the object, each text once. A lock is only mentioned if there is no other text.
func TestMessages(t *testing.T) {
	other, told := manifest.Key{Kind: "Thing", Name: "b"}, cause.List{cause.Of(cause.Told, "by hand")}
	locked := &kind.Live{Phase: kind.Ready, Locked: "locked by Ann"}
	for _, c := range []struct {
		name  string
		step  plan.Step
		have  *kind.Live
		state State
		want  string
	}{
		{"nothing", plan.Step{Action: plan.Keep}, nil, StateInSync, ""},
		{"locked", plan.Step{Action: plan.Keep}, locked, StateInSync, "locked by Ann"},
		{"locked, and kept", plan.Step{Action: plan.Keep}, locked, StateKept, ""},
		{"locked, and something is said", plan.Step{Action: plan.Keep, Causes: told}, locked, StateInSync, "by hand"},
		{"the cloud works on it and does not say how", plan.Step{Action: plan.Wait}, &kind.Live{Phase: kind.Pending}, StateWaiting, string(kind.Pending)},
		{"unwell", plan.Step{Action: plan.Keep}, &kind.Live{Phase: kind.Ready, Message: "one disk is full"}, StateDegraded, "one disk is full"},
		{"broken, as its cause says", plan.Step{Action: plan.Recreate, Causes: cause.List{cause.Of(cause.Failed, "no host")}}, &kind.Live{Phase: kind.Failed, Message: "no host"}, StateFailed,
			"failed: no host; to be recreated"},
		{"let go", plan.Step{Action: plan.Detach}, locked, StateDetach, "to be let go"},
		{"waits for one", plan.Step{Action: plan.Wait, Order: plan.Order{Awaits: []manifest.Key{other}}, Causes: cause.List{cause.Of(cause.WaitsFor, other)}}, nil, StateWaiting, cause.Of(cause.WaitsFor, other).String()},
	} {
		if got := (subject{Step: &c.step, have: c.have}).message(c.state); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Only a step that waits for exactly one other object, and for nothing else, has K-ORC's message.
func TestWaiting(t *testing.T) {
	b := manifest.Key{Kind: "Thing", Name: "b"}
	waits := cause.List{cause.Of(cause.WaitsFor, b)}
	for _, c := range []struct {
		step plan.Step
		orc  bool
	}{
		{plan.Step{Action: plan.Wait, Order: plan.Order{Awaits: []manifest.Key{b}}, Causes: waits}, true},
		{plan.Step{Action: plan.Wait, Order: plan.Order{Awaits: []manifest.Key{b, b}}, Causes: waits}, false},
		{plan.Step{Action: plan.Create, Order: plan.Order{Awaits: []manifest.Key{b}}, Causes: waits}, false},
	} {
		if got := (subject{Step: &c.step}).waitText(); (got == "Waiting for Thing/b to be ready") != c.orc {
			t.Errorf("%s of %d: %q", c.step.Action, len(c.step.Awaits), got)
		}
	}
}

// The message of a missing object says that it is missing, or why its creation failed.
func TestWhatIsMissingSaysWhy(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  string
	}{{Fault{}, "not in the cloud yet"}, {Fault{"no answer", ReasonTransient}, "no answer"}} {
		s := plan.Step{Action: plan.Create}
		if got := show(plan.Plan{}, nil, []subject{{Step: &s, fault: c.fault}})[0].Status.Conditions[0].Message; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// In JSON, the fields of a workload's kind are beside the other fields.
func TestOwnFields(t *testing.T) {
	for name, c := range map[string]struct {
		own  map[string]any
		want string
	}{"none": {}, "one": {map[string]any{"leader": "m-0"}, `"m-0"`}} {
		text, err := json.Marshal(Status{State: StateInSync, Own: c.own})
		var got map[string]json.RawMessage
		if err != nil || json.Unmarshal(text, &got) != nil || string(got["leader"]) != c.want || string(got["state"]) != `"in sync"` {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// The place of a manifest is shown if it is known. So is the user who changed an object.
func TestOriginAndTrace(t *testing.T) {
	if got := originOf(manifest.Origin{}); got != nil {
		t.Errorf("nowhere is %+v", got)
	}
	if got := originOf(manifest.Origin{File: "a.yaml", Line: 3}); got == nil || *got != (Origin{"a.yaml", 3}) {
		t.Errorf("somewhere is %+v", got)
	}
	for _, c := range []struct {
		is   *kind.Trace
		want *Trace
	}{{nil, nil}, {&kind.Trace{}, &Trace{}}, {&kind.Trace{Who: "Ann", What: "stop", When: time.Unix(0, 0)}, &Trace{"Ann", "1970-01-01T00:00:00Z", "stop"}}} {
		if got := TraceOf(plan.Step{Comparison: plan.Comparison{Trace: c.is}}); (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%+v is %+v", c.is, got)
		}
	}
}

// An object contains the name of the object that it was expanded from.
func TestOwners(t *testing.T) {
	alone, part := plan.Step{Key: manifest.Key{Kind: "Thing", Name: "a"}}, plan.Step{Key: manifest.Key{Kind: "Thing", Name: "b"}, Source: plan.Source{Parent: manifest.Key{Kind: "Machine", Name: "m"}}}
	list := show(plan.Plan{}, nil, []subject{{Step: &alone}, {Step: &part}})
	if a, b := list[0].Metadata.OwnerReferences, list[1].Metadata.OwnerReferences; len(a) != 0 || len(b) != 1 || b[0].Kind != "Machine" || b[0].Name != "m" {
		t.Errorf("owners are %+v and %+v", a, b)
	}
}
