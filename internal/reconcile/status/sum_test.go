package status

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func partIn(name string, state State, health Health, message string, addresses ...string) *Object {
	return &Object{Kind: "Thing", Metadata: Metadata{Name: name}, Status: Status{State: state, Sync: state, Health: health, Message: message, Addresses: addresses, Conditions: make([]Condition, 2)}}
}

// If several parts are equally bad, the message names the first one. Each address is listed once.
func TestTheFirstOfTheWorstIsNamed(t *testing.T) {
	got := summary([]*Object{
		partIn("well", StateInSync, HealthGood, "", "10.0.0.1", "10.0.0.2"),
		partIn("first", StateFailed, HealthFailed, "no host", "10.0.0.2"),
		partIn("second", "stopped", "stopped", "is SHUTOFF", "10.0.0.3"),
	})
	if got.State != StateFailed || got.Sync != StateFailed || got.Health != HealthFailed || got.Message != "Thing/first: no host (and 1 more of its 3 parts)" {
		t.Errorf("%s, %s, %s: %s", got.State, got.Sync, got.Health, got.Message)
	}
	if !slices.Equal(got.Addresses, []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}) {
		t.Errorf("addresses are %v", got.Addresses)
	}
	if got := summary([]*Object{partIn("a", StateFailed, HealthFailed, "no host"), partIn("b", StateInSync, HealthGood, "")}).Message; got != "Thing/a: no host" {
		t.Errorf("of one that is bad: %s", got)
	}
}

// The worst states are those in which a person must act.
func TestGravity(t *testing.T) {
	for i, s := range worstStates {
		if got := s.gravity(); got != i {
			t.Errorf("%s: %d, want %d", s, got, i)
		}
	}
	if State("stopped").gravity() != StateFailed.gravity() || isWorse(ReasonFatal, ReasonFatal) {
		t.Error("what is down is not as bad as a failure, or a reason is graver than itself")
	}
}

// The result of the comparison with the manifest is the state that the object would have if it were healthy.
func TestSync(t *testing.T) {
	failed, changed := &kind.Live{Phase: kind.Failed}, []kind.Change{{Field: "spec.x"}}
	for _, c := range []struct {
		name  string
		of    subject
		step  plan.Step
		state State
		want  State
	}{
		{"as wanted, and unwell", subject{want: &kind.Desired{}}, plan.Step{Action: plan.Keep}, StateDegraded, StateInSync},
		{"no manifest's, and unwell", subject{}, plan.Step{Action: plan.Keep}, StateDegraded, StateKept},
		{"to be changed, and broken", subject{want: &kind.Desired{}, have: failed}, plan.Step{Action: plan.Update}, StateFailed, StateChange},
		{"its step failed", subject{fault: Fault{Text: "no answer"}}, plan.Step{Action: plan.Update}, StateFailed, StateFailed},
		{"a person has to act", subject{}, plan.Step{Action: plan.Update, Error: true}, StateFailed, StateFailed},
		{"drifted, and stopped", subject{}, plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}}, "stopped", StateDrifted},
		{"drifted as it is broken", subject{want: &kind.Desired{}, have: failed}, plan.Step{Action: plan.Recreate, Comparison: plan.Comparison{Drift: true}}, StateFailed, StateReplace},
		{"broken, and its differences stay", subject{have: failed}, plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Drift: true, Changes: changed}}, StateFailed, StateDrifted},
		{"waits, and unwell", subject{want: &kind.Desired{}}, plan.Step{Action: plan.Wait}, StateDegraded, StateWaiting},
		{"drifted, and well", subject{}, plan.Step{Action: plan.Update}, StateHeld, StateHeld},
	} {
		if c.of.Step = &c.step; c.of.sync(c.state) != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.of.sync(c.state), c.want)
		}
	}
}

// An object that does not exist is missing, unless the cloud could not be asked.
func TestHealth(t *testing.T) {
	for _, c := range []struct {
		name string
		step plan.Step
		have *kind.Live
		want Health
	}{
		{"the cloud could not be asked", plan.Step{Action: plan.Wait, Error: true}, nil, HealthUnknown},
		{"it could not, and it is there", plan.Step{Action: plan.Wait, Error: true}, &kind.Live{Phase: kind.Ready}, HealthGood},
		{"missing, and waits", plan.Step{Action: plan.Wait}, nil, HealthMissing},
		{"missing, and cannot be made", plan.Step{Action: plan.Create, Error: true}, nil, HealthMissing},
		{"degraded, without a word", plan.Step{Action: plan.Keep}, &kind.Live{Phase: kind.Degraded}, HealthDegraded},
		{"well, with a word", plan.Step{Action: plan.Keep}, &kind.Live{Phase: kind.Ready, Message: "slow"}, HealthDegraded},
	} {
		if got := (subject{Step: &c.step, have: c.have}).health(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := HealthFailed.Worse("stopped"); got != HealthFailed {
		t.Errorf("of two that are equally bad: %s", got)
	}
}

// If a plan does not change a broken object, its state is failed, even if the object has drifted, too. If the plan has an update for it,
// its state is "to change".
func TestStatesOfWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		step plan.Step
		want State
	}{{plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Drift: true}}, StateFailed}, {plan.Step{Action: plan.Recreate}, StateFailed}, {plan.Step{Action: plan.Update}, StateChange}} {
		if got := (subject{Step: &c.step, want: &kind.Desired{}, have: &kind.Live{Phase: kind.Failed}}).state(halt{}, ""); got != c.want {
			t.Errorf("%s: %s, want %s", c.step.Action, got, c.want)
		}
	}
}

// In a held plan, an object that waits for a person, an answer or the cloud has a state that says so. Its state is not "held".
func TestWhatWaitsForOthersIsNotHeld(t *testing.T) {
	b := []manifest.Key{{Kind: "Thing", Name: "b"}}
	for _, c := range []struct {
		name string
		step plan.Step
		want string
	}{
		{"another object", plan.Step{Action: plan.Wait, Order: plan.Order{Awaits: b}}, ReasonHeld},
		{"the cloud", plan.Step{Action: plan.Wait}, ""},
		{"an answer", plan.Step{Action: plan.Wait, Order: plan.Order{Awaits: b}, Error: true}, ""},
		{"nothing", plan.Step{Action: plan.Keep, Order: plan.Order{Awaits: b}}, ReasonSuccess},
	} {
		if got, _ := (subject{Step: &c.step}).stopped(halt{held: true}, ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Only drifted and waiting objects name the object that they wait for.
func TestDriftSaysWhatItWaitsFor(t *testing.T) {
	b := step("b", plan.Refuse)
	for _, c := range []struct {
		step plan.Step
		want string
	}{
		{plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true}, Order: plan.Order{Awaits: []manifest.Key{b.Key}}}, "Thing/b"},
		{plan.Step{Action: plan.Update, Order: plan.Order{Awaits: []manifest.Key{b.Key}}}, "Thing/b"},
		{plan.Step{Action: plan.Recreate, Order: plan.Order{Awaits: []manifest.Key{b.Key}}}, ""}, // the object itself is broken
	} {
		of := subject{Step: &c.step, have: &kind.Live{Phase: map[bool]kind.Phase{true: kind.Failed, false: kind.Ready}[c.step.Action == plan.Recreate]}}
		if got := find(of, halt{}, waitsOf([]subject{of, {Step: &b}})).waitsFor; got != c.want {
			t.Errorf("%s: %q, want %q", c.step.Action, got, c.want)
		}
	}
}

// Each workload comes after its parts, the deepest parts first. Apart from that, the order is that of the manifests. A workload that is its
// own part does not cause an endless loop.
func TestPartsFirst(t *testing.T) {
	w := func(name, parent string) plan.Workload {
		of := plan.Workload{Key: manifest.Key{Kind: "Group", Name: name}}
		if parent != "" {
			of.Parent = manifest.Key{Kind: "Group", Name: parent}
		}
		return of
	}
	var got []string
	for _, of := range partsFirst([]plan.Workload{w("single", ""), w("group", ""), w("machine", "group"), w("loop", "loop")}) {
		got = append(got, of.Key.Name)
	}
	if want := []string{"loop", "machine", "single", "group"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A group without members has 0 members that are ready. A workload that is not a group counts as one member.
func TestReadyOfWhatHasNoParts(t *testing.T) {
	group, net := manifest.Key{Kind: "Group", Name: "g"}, manifest.Key{Kind: "Net", Name: "n"}
	kinds := []*kind.Kind{{Info: kind.Info{Kind: "Group"}, Group: kind.Group{Members: "Machine"}}, {Info: kind.Info{Kind: "Net"}}}
	got := map[string]string{}
	for _, o := range show(plan.Plan{Workloads: []plan.Workload{{Key: group}, {Key: net}}}, kinds, nil) {
		got[o.Kind] = o.Status.Ready
	}
	if got["Group"] != "0/0" || got["Net"] != "1/1" {
		t.Errorf("%v", got)
	}
}
