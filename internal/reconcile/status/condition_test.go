package status

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// Each case is a step, with the two conditions that are expected for it.
func TestConditionsOfSteps(t *testing.T) {
	live := func(phase kind.Phase, message string) *kind.Live {
		return &kind.Live{ID: "id-1", Phase: phase, Message: message, State: &thingtest.Thing{Colour: "red"}}
	}
	changed := []kind.Change{{Field: "spec.resource.colour"}}
	suspend := &kind.Desired{Options: kind.Options{Suspend: true}}
	for _, c := range []struct {
		name                   string
		step                   plan.Step
		of                     subject
		available, progressing string
	}{
		{"as wanted", plan.Step{Action: plan.Keep}, subject{have: live(kind.Ready, "")}, "True Success", "False Success"},
		{"unwell", plan.Step{Action: plan.Keep}, subject{have: live(kind.Degraded, "one member down")}, "True Success", "False Success"},
		{"a part is unwell", plan.Step{Action: plan.Keep}, subject{have: live(kind.Ready, "a member is down")}, "True Success", "False Success"},
		{"stopped", plan.Step{Action: plan.Keep}, subject{have: &kind.Live{Phase: kind.Degraded, Down: "stopped", Message: "is SHUTOFF", State: &thingtest.Thing{}}}, "False NotServing", "False Success"},
		{"drift that is reported", plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Drift: true, Changes: changed}}, subject{have: live(kind.Ready, "")}, "True Success", "False Drifted"},
		{"deleted, which is reported", plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Drift: true, Changes: changed}, Causes: cause.List{cause.Of(cause.Reported, "only reported")}}, subject{}, "False Drifted", "False Drifted"},
		{"left so for a newer commit", plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Changes: changed}}, subject{have: live(kind.Ready, "")}, "True Success", "False Refused"},
		{"suspended and missing", plan.Step{Action: plan.Keep, Causes: cause.List{cause.Of(cause.Reported, "suspended; it does not exist")}}, subject{suspended: true}, "False Suspended", "False Suspended"},
		{"suspended, and differs", plan.Step{Action: plan.Keep}, subject{want: suspend, suspended: true, have: live(kind.Ready, ""), uncounted: changed}, "True Success", "False Suspended"},
		{"suspended, and changed in the cloud", plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Drift: true}}, subject{want: suspend, suspended: true, have: live(kind.Ready, ""), uncounted: changed}, "True Success", "False Suspended"},
		{"suspended", plan.Step{Action: plan.Keep}, subject{want: suspend, suspended: true, have: live(kind.Ready, "")}, "True Success", "False Suspended"},
		{"outdated", plan.Step{Action: plan.Keep}, subject{outdated: true, want: &kind.Desired{}, have: live(kind.Ready, ""), uncounted: changed}, "True Success", "False Outdated"},
		{"failed: a quota", plan.Step{Action: plan.Create}, subject{fault: FaultOf(fmt.Errorf("%w: %w", kind.ErrRejected, kind.ErrExhausted))}, "False QuotaExceeded", "False QuotaExceeded"},
		{"failed: not allowed", plan.Step{Action: plan.Update}, subject{have: live(kind.Ready, ""), fault: FaultOf(fmt.Errorf("%w: %w", kind.ErrRejected, kind.ErrForbidden))}, "True Success", "False Forbidden"},
		{"failed: rejected", plan.Step{Action: plan.Create}, subject{fault: FaultOf(kind.ErrRejected)}, "False InvalidConfiguration", "False InvalidConfiguration"},
		{"failed: no such service", plan.Step{Action: plan.Create}, subject{fault: FaultOf(kind.ErrNoService)}, "False UnrecoverableError", "False UnrecoverableError"},
		{"failed: no answer", plan.Step{Action: plan.Create}, subject{fault: FaultOf(kind.ErrUnanswered)}, "False TransientError", "True TransientError"},
		{"broken, which is reported", plan.Step{Action: plan.Keep, Comparison: plan.Comparison{Drift: true}, Causes: cause.List{cause.Of(cause.Reported, "only reported")}}, subject{have: live(kind.Failed, "no host")}, "False Failed", "False Drifted"},
		{"drift that may not be corrected", plan.Step{Action: plan.Refuse, Comparison: plan.Comparison{Drift: true, Changes: changed}, Causes: cause.List{cause.Of(cause.Reported, "cannot")}}, subject{have: live(kind.Ready, "")}, "True Success", "False Refused"},
		{"begun", plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: changed}}, subject{have: live(kind.Begun, "no address")}, "False Progressing", "True Progressing"},
		{"missing", plan.Step{Action: plan.Create}, subject{}, "False Progressing", "True Progressing"},
		{"different", plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: changed}}, subject{have: live(kind.Ready, "")}, "True Success", "True Progressing"},
		{"being built", plan.Step{Action: plan.Wait, Causes: cause.List{cause.Of(cause.Reported, "BUILD")}}, subject{have: live(kind.Pending, "BUILD")}, "False Progressing", "True Progressing"},
		{"broken", plan.Step{Action: plan.Recreate, Causes: cause.List{cause.Of(cause.Reported, "failed: no host")}}, subject{have: live(kind.Failed, "no host")}, "False Failed", "True Progressing"},
		{"unwanted", plan.Step{Action: plan.Delete}, subject{have: live(kind.Ready, "")}, "True Success", "True Progressing"},
		{"list failed", plan.Step{Action: plan.Wait, Error: true, Causes: cause.List{cause.Of(cause.Reported, "503")}}, subject{}, "Unknown TransientError", "True TransientError"},
		{"name taken", plan.Step{Action: plan.Refuse, Error: true, Causes: cause.List{cause.Of(cause.Reported, "taken")}}, subject{}, "False UnrecoverableError", "False UnrecoverableError"},
		{"nothing to import", plan.Step{Action: plan.Wait, Error: true, Causes: cause.List{cause.Of(cause.Reported, "none")}}, subject{obstacle: plan.NotYet}, "False Progressing", "True Progressing"},
		{"nothing with that ID", plan.Step{Action: plan.Wait, Error: true, Causes: cause.List{cause.Of(cause.Reported, "none")}}, subject{obstacle: plan.Never}, "False UnrecoverableError", "False UnrecoverableError"},
		{"several to import", plan.Step{Action: plan.Refuse, Error: true, Causes: cause.List{cause.Of(cause.Reported, "two")}}, subject{obstacle: plan.Ambiguous}, "False InvalidConfiguration", "False InvalidConfiguration"},
		{"replace refused", plan.Step{Action: plan.Refuse, Causes: cause.List{cause.Of(cause.Reported, "cannot")}}, subject{have: live(kind.Ready, "")}, "True Success", "False Refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.step.Key = manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "x"}
			c.of.Step = &c.step
			list := show(plan.Plan{Stack: "s"}, []*kind.Kind{thingtest.New().Kind()}, []subject{c.of})
			got := list[0].Status.Conditions
			if a := got[0].Status + " " + got[0].Reason; got[0].Type != "Available" || a != c.available {
				t.Errorf("available: %s (%s), want %s", a, got[0].Message, c.available)
			}
			if p := got[1].Status + " " + got[1].Reason; got[1].Type != "Progressing" || p != c.progressing {
				t.Errorf("progressing: %s (%s), want %s", p, got[1].Message, c.progressing)
			}
			for _, whole := range []struct {
				plan   plan.Plan
				reason string
			}{{plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too many")}}}, "AwaitingApproval"}, {plan.Plan{Restraint: plan.Restraint{Suspended: "by its folder"}}, "Suspended"}} {
				if p := show(whole.plan, nil, []subject{c.of})[0].Status.Conditions[1]; c.step.Action.Writes() && (p.Status != "False" || p.Reason != whole.reason) {
					t.Errorf("of a plan that is not carried out: %s %s (%s), want %s", p.Status, p.Reason, p.Message, whole.reason)
				}
			}
			if list[0].APIVersion != "test/v1" || list[0].Metadata.Labels[stackLabel] != "s" {
				t.Errorf("frame is %+v", list[0])
			}
			if (list[0].Status.Resource != nil) != (c.of.have != nil) {
				t.Errorf("resource is %v", list[0].Status.Resource)
			}
		})
	}
}

func TestWorkloadsSumUpTheirParts(t *testing.T) {
	key := func(kind, name string) manifest.Key {
		return manifest.Key{Kind: kind, Namespace: "default", Name: name}
	}
	group, machine := key("Group", "g"), key("Machine", "m")
	ready := &kind.Live{ID: "1", Phase: kind.Ready, State: &thingtest.Thing{}}
	statuses := func(list ...subject) map[string][]Condition {
		out := map[string][]Condition{}
		// The plan has the group first, and its status comes last.
		for _, o := range show(plan.Plan{Workloads: []plan.Workload{{Key: group}, {Key: machine, Parent: group}, {Key: key("Secret", "s"), Data: true}}}, nil, list) {
			out[o.Kind] = o.Status.Conditions
		}
		return out
	}
	good := subject{Step: &plan.Step{Key: key("Thing", "a"), Source: plan.Source{Parent: machine}, Action: plan.Keep}, have: ready}
	got := statuses(good, good)
	if _, ok := got["Secret"]; ok {
		t.Error("data has a status")
	}
	for _, kind := range []string{"Machine", "Group"} {
		if c := got[kind]; c[0].Status != "True" || c[1].Status != "False" || c[1].Reason != ReasonSuccess {
			t.Errorf("%s of good parts: %+v", kind, c)
		}
	}
	got = statuses(good, subject{Step: &plan.Step{Key: key("Thing", "b"), Source: plan.Source{Parent: machine}, Action: plan.Create}},
		subject{Step: &plan.Step{Key: key("Thing", "c"), Source: plan.Source{Parent: machine}, Action: plan.Refuse, Error: true, Causes: cause.List{cause.Of(cause.Reported, "no quota")}}})
	for _, kind := range []string{"Machine", "Group"} {
		c := got[kind]
		if c[0].Status != "False" || c[0].Reason != ReasonFatal || c[1].Status != "True" || c[1].Reason != ReasonFatal {
			t.Errorf("%s: %+v; want the worst of its parts", kind, c)
		}
	}
	if want := "1 of 3 parts are available; Thing/c: no quota"; got["Machine"][0].Message != want {
		t.Errorf("message is %q, want %q", got["Machine"][0].Message, want)
	}
}

// Our messages are the same as the usual messages of K-ORC, so that tools for K-ORC's conditions can read them.
func TestConditionsHaveUsualMessages(t *testing.T) {
	other := manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "other"}
	for _, c := range []struct {
		step                   plan.Step
		of                     subject
		available, progressing string
	}{
		{plan.Step{Action: plan.Keep}, subject{have: &kind.Live{ID: "id-1", Phase: kind.Ready, State: &thingtest.Thing{}}}, "OpenStack resource is available", "OpenStack resource is up to date"},
		{plan.Step{Action: plan.Wait, Order: plan.Order{Awaits: []manifest.Key{other}}, Causes: cause.List{cause.Of(cause.WaitsFor, other)}}, subject{}, "Waiting for Thing/other to be ready", "Waiting for Thing/other to be ready"},
		{plan.Step{Action: plan.Wait, Order: plan.Order{Awaits: []manifest.Key{other}}, Causes: cause.List{cause.Of(cause.Reported, "waits for its quota")}}, subject{}, "waits for its quota", "waits for its quota"},
	} {
		c.step.Key = manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "x"}
		c.of.Step = &c.step
		got := show(plan.Plan{Stack: "s"}, []*kind.Kind{thingtest.New().Kind()}, []subject{c.of})[0].Status.Conditions
		if got[0].Message != c.available || got[1].Message != c.progressing {
			t.Errorf("%s: got %q and %q, want %q and %q", c.step.FullCause(), got[0].Message, got[1].Message, c.available, c.progressing)
		}
	}
}

// The members of a workload that can be used are counted. If a workload contains a group, these are the machines of the group. A workload
// without a group counts as one.
func TestReadyCountsMembers(t *testing.T) {
	key := func(kind, name string) manifest.Key {
		return manifest.Key{Kind: kind, Namespace: "default", Name: name}
	}
	cluster, group := key("Cluster", "c"), key("Group", "g")
	p, list := plan.Plan{Workloads: []plan.Workload{{Key: cluster}, {Key: group, Parent: cluster}}}, []subject(nil)
	for name, phase := range map[string]kind.Phase{"a": kind.Ready, "b": kind.Ready, "c": kind.Pending} {
		machine := key("Machine", name)
		p.Workloads = append(p.Workloads, plan.Workload{Key: machine, Parent: group})
		list = append(list, subject{Step: &plan.Step{Key: key("Thing", name), Source: plan.Source{Parent: machine}, Action: plan.Keep}, have: &kind.Live{ID: name, Phase: phase, State: &thingtest.Thing{}}})
	}
	list = append(list, subject{Step: &plan.Step{Key: key("Thing", "extra"), Source: plan.Source{Parent: group}, Action: plan.Create}},
		subject{Step: &plan.Step{Key: key("Thing", "hidden"), Action: plan.Wait, Error: true}})
	list[0].have.Created, list[1].have.Created = time.Unix(20, 0), time.Unix(10, 0)
	got := map[string]string{}
	for _, o := range show(p, nil, list) {
		if o.Kind == "Cluster" && !o.Status.Made.Equal(time.Unix(10, 0)) {
			t.Errorf("it was made at %s, and not with the first of its parts", o.Status.Made)
		}
		got[o.name()] = o.Status.Ready
		if r := o.Status.Conditions[2]; r.Type != "Ready" || r.Status != o.Status.Conditions[0].Status {
			t.Errorf("%s: %+v", o.name(), r)
		}
	}
	for name, want := range map[string]string{
		"Cluster/c": "2/3", "Group/g": "2/3", "Machine/a": "1/1", "Machine/c": "0/1", "Thing/a": "1/1", "Thing/extra": "0/1", "Thing/hidden": "?/1",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
}

// A step that waits for another object is progressing only if the plan is carried out.
func TestWhatWaitsInAPlanThatIsStoppedSaysSo(t *testing.T) {
	waits := plan.Step{Key: manifest.Key{Group: "test", Kind: "Thing", Name: "x"}, Action: plan.Wait, Order: plan.Order{Awaits: []manifest.Key{{Kind: "Thing", Name: "y"}}}, Causes: cause.List{cause.Of(cause.WaitsFor, manifest.Key{Kind: "Thing", Name: "y"})}}
	for _, c := range []struct {
		plan   plan.Plan
		reason string
	}{{plan.Plan{}, ReasonProgressing}, {plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too many")}}}, ReasonHeld}, {plan.Plan{Restraint: plan.Restraint{Suspended: "by its folder"}}, ReasonSuspended}} {
		c.plan.Steps = []plan.Step{waits}
		for _, is := range Of(c.plan, nil)[0].Status.Conditions {
			if is.Reason != c.reason {
				t.Errorf("held %q, suspended %q: %s is %s %s, want %s", c.plan.Held, c.plan.Suspended, is.Type, is.Status, is.Reason, c.reason)
			}
		}
	}
}

// Every reason is in the list once, with a meaning.
func TestReasonsAreKnown(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Reasons() {
		if r.Means == "" || seen[r.Reason] {
			t.Errorf("%s: %q", r.Reason, r.Means)
		}
		seen[r.Reason] = true
	}
	if isWorse(ReasonSuccess, ReasonFatal) || !isWorse(ReasonFatal, ReasonSuccess) || isWorse("unheard of", ReasonSuccess) {
		t.Error("the order is not that of the table")
	}
}
