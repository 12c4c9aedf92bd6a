package status

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// step returns a step of a Thing that waits for others.
func step(name string, action plan.Action, awaits ...string) plan.Step {
	s := plan.Step{Key: thingtest.Key(name), Action: action}
	for _, other := range awaits {
		s.Awaits = append(s.Awaits, thingtest.Key(other))
	}
	return s
}

// A step waits for the first object that the plan does not provide. It does not wait for objects that the plan provides. If a person must
// act on the step itself, it waits for nothing.
func TestWhatIsWaitedFor(t *testing.T) {
	wrong := func(s plan.Step) plan.Step { s.Error = true; return s }
	blocked := func(action plan.Action, by ...string) plan.Step { s := step("a", action); s.Blockers = by; return s }
	for _, c := range []struct {
		name string
		step plan.Step
		want string
	}{
		{"nothing", step("a", plan.Create), ""},
		{"the cloud", step("a", plan.Wait), theCloud},
		{"what is created first", step("a", plan.Create, "created"), ""},
		{"what is ready", step("a", plan.Create, "ready"), ""},
		{"what is there and cannot be used", step("a", plan.Create, "pending"), "Thing/pending"},
		{"what is left missing", step("a", plan.Create, "missing"), "Thing/missing"},
		{"what is refused", step("a", plan.Create, "refused"), "Thing/refused"},
		{"what waits", step("a", plan.Create, "waits"), "Thing/waits"},
		{"what cannot be made", step("a", plan.Create, "wrong"), "Thing/wrong"},
		{"what waits for another one in turn", step("a", plan.Create, "far"), "Thing/refused"},
		{"the second one", step("a", plan.Create, "created", "refused"), "Thing/refused"},
		{"what is in a circle", step("a", plan.Create, "circle"), ""},
		{"what no step is of", step("a", plan.Create, "unknown"), ""},
		{"nothing that the plan does not bring about", step("a", plan.Wait, "created"), "Thing/created"},
		{"refused itself", step("a", plan.Refuse, "refused"), ""},
		{"as wanted itself", step("a", plan.Keep, "refused"), ""},
		{"wrong itself", wrong(step("a", plan.Wait, "refused")), ""},
		{"its users", blocked(plan.Delete, "going", "user"), "user"},
		{"its users, when it is let go", blocked(plan.Detach, "user"), "user"},
		{"users that go", blocked(plan.Delete, "going"), ""},
		{"no users, as it stays", blocked(plan.Update, "user"), ""},
	} {
		ready, pending := &kind.Live{Phase: kind.Ready}, &kind.Live{Phase: kind.Pending}
		w := waits{map[manifest.Key]*subject{}, map[string]bool{"going": true}, map[manifest.Key]string{}}
		add := func(s plan.Step, have *kind.Live) { w.at[s.Key] = &subject{Step: &s, have: have} }
		add(step("created", plan.Create), nil)
		add(step("ready", plan.Keep), ready)
		add(step("pending", plan.Keep), pending)
		add(step("missing", plan.Keep), nil)
		add(step("refused", plan.Refuse), ready)
		add(step("waits", plan.Wait), pending)
		add(wrong(step("wrong", plan.Create)), nil)
		add(step("far", plan.Create, "refused"), nil)
		add(step("circle", plan.Create, "circle"), nil)
		for range 2 { // the second call uses the stored result
			if got := w.blocker(subject{Step: &c.step}); got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	}
}

// destroyed contains the names in the cloud of the objects that the plan destroys, so that their users do not wait for them.
func TestWhatGoes(t *testing.T) {
	var list []subject
	for name, action := range map[string]plan.Action{"deleted": plan.Delete, "replaced": plan.Recreate, "changed": plan.Update, "kept": plan.Keep} {
		s := step(name, action)
		s.Have = &kind.Live{ID: "id-" + name, Name: name}
		list = append(list, subject{Step: &s})
	}
	missing := step("missing", plan.Delete)
	going := waitsOf(append(list, subject{Step: &missing})).destroyed
	if len(going) != 2 || !going[list[slices.IndexFunc(list, func(s subject) bool { return s.Action == plan.Delete })].LiveName()] {
		t.Errorf("going are %v", going)
	}
}

// K-ORC's message is used for an object that does not exist yet and waits for one other object. If the other object has no manifest, the
// message says that it must be created. Otherwise it says that it must be ready.
func TestUnmade(t *testing.T) {
	with := func(s plan.Step, change func(*subject)) subject {
		x := subject{Step: &s}
		if change != nil {
			change(&x)
		}
		return x
	}
	for _, c := range []struct {
		name string
		of   subject
		want string
	}{
		{"for one", with(step("a", plan.Create, "refused"), nil), "Waiting for Thing/refused to be ready"},
		{"for one that is adopted", with(step("a", plan.Create, "adopted"), nil), "Waiting for Thing/adopted to be ready"},
		{"for one that is no manifest's", with(step("a", plan.Create, "absent"), nil), "Waiting for Thing/absent to be created"},
		{"for one that comes first", with(step("a", plan.Create, "created"), nil), ""},
		{"for none", with(step("a", plan.Create), nil), ""},
		{"for two", with(step("a", plan.Create, "refused", "absent"), nil), ""},
		{"it is there", with(step("a", plan.Create, "refused"), func(s *subject) { s.have = &kind.Live{} }), ""},
		{"it is changed", with(step("a", plan.Update, "refused"), nil), ""},
		{"it is wrong", with(step("a", plan.Create, "refused"), func(s *subject) { s.Error = true }), ""},
	} {
		want := func(d kind.Desired) *kind.Desired { return &d }
		refused, absent, adopted, created := step("refused", plan.Refuse), step("absent", plan.Wait), step("adopted", plan.Wait), step("created", plan.Create)
		w := waitsOf([]subject{{Step: &refused, want: want(kind.Desired{})}, {Step: &absent, want: want(kind.Desired{Unmanaged: true})},
			{Step: &adopted, want: want(kind.Desired{Unmanaged: true, Import: &kind.Import{}})}, {Step: &created}})
		if got := w.missingObject(c.of); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Both conditions have this message, unless the step failed. If it failed, both have the text of the failure.
func TestUnmadeIsSaid(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  string
	}{{Fault{}, "Waiting for Thing/b to be ready"}, {Fault{"no answer", ReasonTransient}, "no answer"}} {
		a, b := step("a", plan.Create, "b"), step("b", plan.Refuse)
		got := show(plan.Plan{}, nil, []subject{{Step: &a, fault: c.fault}, {Step: &b}})[0].Status.Conditions
		if got[0].Message != c.want || got[1].Message != c.want {
			t.Errorf("%q and %q, want %q", got[0].Message, got[1].Message, c.want)
		}
	}
}
