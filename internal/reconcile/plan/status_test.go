package plan

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// steps of every sort, with the two conditions they come to.
func TestConditionsOfSteps(t *testing.T) {
	live := func(phase kind.Phase, message string) *kind.Live {
		return &kind.Live{ID: "id-1", Phase: phase, Message: message, State: &thingtest.Thing{Colour: "red"}}
	}
	changed := []kind.Change{{Field: "spec.resource.colour"}}
	suspend := &kind.Desired{Options: kind.Options{Suspend: true}}
	for _, c := range []struct {
		name                   string
		step                   Step
		available, progressing string
	}{
		{"as wanted", Step{Action: Keep, have: live(kind.Ready, "")}, "True Success", "False Success"},
		{"unwell", Step{Action: Keep, have: live(kind.Degraded, "one member down")}, "True Success", "False Success"},
		{"a part is unwell", Step{Action: Keep, have: live(kind.Ready, "a member is down")}, "True Success", "False Success"},
		{"stopped", Step{Action: Keep, have: &kind.Live{Phase: kind.Degraded, Down: "stopped", Message: "is SHUTOFF", State: &thingtest.Thing{}}}, "False NotServing", "False Success"},
		{"drift that is reported", Step{Action: Keep, Drift: true, have: live(kind.Ready, ""), Changes: changed}, "True Success", "False Drifted"},
		{"deleted, which is reported", Step{Action: Keep, Drift: true, Causes: cause.List{cause.Of(cause.Reported, "only reported")}, Changes: changed}, "False Drifted", "False Drifted"},
		{"left so for a newer commit", Step{Action: Keep, have: live(kind.Ready, ""), Changes: changed}, "True Success", "False Refused"},
		{"suspended and missing", Step{Action: Keep, ofSuspended: true, Causes: cause.List{cause.Of(cause.Reported, "suspended; it does not exist")}}, "False Suspended", "False Suspended"},
		{"suspended, and differs", Step{Action: Keep, want: suspend, have: live(kind.Ready, ""), aside: changed}, "True Success", "False Suspended"},
		{"suspended, and changed in the cloud", Step{Action: Keep, want: suspend, Drift: true, have: live(kind.Ready, ""), aside: changed}, "True Success", "False Suspended"},
		{"suspended", Step{Action: Keep, want: suspend, have: live(kind.Ready, "")}, "True Success", "False Suspended"},
		{"outdated", Step{Action: Keep, left: true, want: &kind.Desired{}, have: live(kind.Ready, ""), aside: changed}, "True Success", "False Outdated"},
		{"failed: a quota", Step{Action: Create, failed: FaultOf(fmt.Errorf("%w: %w", kind.ErrRejected, kind.ErrUsedUp))}, "False QuotaExceeded", "False QuotaExceeded"},
		{"failed: not allowed", Step{Action: Update, have: live(kind.Ready, ""), failed: FaultOf(fmt.Errorf("%w: %w", kind.ErrRejected, kind.ErrForbidden))}, "True Success", "False Forbidden"},
		{"failed: rejected", Step{Action: Create, failed: FaultOf(kind.ErrRejected)}, "False InvalidConfiguration", "False InvalidConfiguration"},
		{"failed: no such service", Step{Action: Create, failed: FaultOf(kind.ErrNoService)}, "False UnrecoverableError", "False UnrecoverableError"},
		{"failed: no answer", Step{Action: Create, failed: FaultOf(kind.ErrUnanswered)}, "False TransientError", "True TransientError"},
		{"broken, which is reported", Step{Action: Keep, Drift: true, have: live(kind.Failed, "no host"), Causes: cause.List{cause.Of(cause.Reported, "only reported")}}, "False Failed", "False Drifted"},
		{"drift that may not be corrected", Step{Action: Refuse, Drift: true, have: live(kind.Ready, ""), Causes: cause.List{cause.Of(cause.Reported, "cannot")}, Changes: changed}, "True Success", "False Refused"},
		{"begun", Step{Action: Update, have: live(kind.Begun, "no address"), Changes: changed}, "False Progressing", "True Progressing"},
		{"missing", Step{Action: Create}, "False Progressing", "True Progressing"},
		{"different", Step{Action: Update, have: live(kind.Ready, ""), Changes: changed}, "True Success", "True Progressing"},
		{"being built", Step{Action: Wait, have: live(kind.Pending, "BUILD"), Causes: cause.List{cause.Of(cause.Reported, "BUILD")}}, "False Progressing", "True Progressing"},
		{"broken", Step{Action: Recreate, have: live(kind.Failed, "no host"), Causes: cause.List{cause.Of(cause.Reported, "failed: no host")}}, "False Failed", "True Progressing"},
		{"unwanted", Step{Action: Delete, have: live(kind.Ready, "")}, "True Success", "True Progressing"},
		{"list failed", Step{Action: Wait, Error: true, Causes: cause.List{cause.Of(cause.Reported, "503")}}, "Unknown TransientError", "True TransientError"},
		{"name taken", Step{Action: Refuse, Error: true, Causes: cause.List{cause.Of(cause.Reported, "taken")}}, "False UnrecoverableError", "False UnrecoverableError"},
		{"nothing to import", Step{Action: Wait, Error: true, Causes: cause.List{cause.Of(cause.Reported, "none")}, condition: ReasonProgressing}, "False Progressing", "True Progressing"},
		{"nothing with that ID", Step{Action: Wait, Error: true, Causes: cause.List{cause.Of(cause.Reported, "none")}, condition: ReasonFatal}, "False UnrecoverableError", "False UnrecoverableError"},
		{"several to import", Step{Action: Refuse, Error: true, Causes: cause.List{cause.Of(cause.Reported, "two")}, condition: ReasonInvalid}, "False InvalidConfiguration", "False InvalidConfiguration"},
		{"replace refused", Step{Action: Refuse, have: live(kind.Ready, ""), Causes: cause.List{cause.Of(cause.Reported, "cannot")}}, "True Success", "False Refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.step.Key = manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "x"}
			list := Statuses(Plan{Stack: "s", Steps: []Step{c.step}}, []*kind.Kind{thingtest.New().Kind()})
			got := list[0].Status.Conditions
			if a := got[0].Status + " " + got[0].Reason; got[0].Type != "Available" || a != c.available {
				t.Errorf("available: %s (%s), want %s", a, got[0].Message, c.available)
			}
			if p := got[1].Status + " " + got[1].Reason; got[1].Type != "Progressing" || p != c.progressing {
				t.Errorf("progressing: %s (%s), want %s", p, got[1].Message, c.progressing)
			}
			for _, whole := range []struct {
				plan   Plan
				reason string
			}{{Plan{Held: "too many"}, "AwaitingApproval"}, {Plan{Suspended: "by its folder"}, "Suspended"}} {
				whole.plan.Steps = []Step{c.step}
				if p := Statuses(whole.plan, nil)[0].Status.Conditions[1]; c.step.Action.Writes() && (p.Status != "False" || p.Reason != whole.reason) {
					t.Errorf("of a plan that is not carried out: %s %s (%s), want %s", p.Status, p.Reason, p.Message, whole.reason)
				}
			}
			if list[0].APIVersion != "test/v1" || list[0].Metadata.Labels[stackLabel] != "s" {
				t.Errorf("frame is %+v", list[0])
			}
			if (list[0].Status.Resource != nil) != (c.step.have != nil) {
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
	statuses := func(steps ...Step) map[string][]Condition {
		out := map[string][]Condition{}
		// The group comes first, as it is written, and is summed up last.
		for _, o := range Statuses(Plan{Steps: steps, Workloads: []Workload{{Key: group}, {Key: machine, Parent: group}, {Key: key("Secret", "s"), Data: true}}}, nil) {
			out[o.Kind] = o.Status.Conditions
		}
		return out
	}
	good := Step{Key: key("Thing", "a"), Parent: machine, Action: Keep, have: ready}
	got := statuses(good, good)
	if _, ok := got["Secret"]; ok {
		t.Error("data has a status")
	}
	for _, kind := range []string{"Machine", "Group"} {
		if c := got[kind]; c[0].Status != "True" || c[1].Status != "False" || c[1].Reason != ReasonSuccess {
			t.Errorf("%s of good parts: %+v", kind, c)
		}
	}
	got = statuses(good, Step{Key: key("Thing", "b"), Parent: machine, Action: Create}, Step{Key: key("Thing", "c"), Parent: machine, Action: Refuse, Error: true, Causes: cause.List{cause.Of(cause.Reported, "no quota")}})
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

func TestPlansNameTheirWorkloads(t *testing.T) {
	parent := kind.Desired{Key: manifest.Key{Kind: "Machine", Name: "m"}, Virtual: true, Notes: []kind.Note{{Field: "f", Text: "t"}}}
	secret := kind.Desired{Key: manifest.Key{Kind: "Secret", Name: "s"}, Virtual: true, Data: map[string]string{"a": "b"}}
	p := Compute(Input{Want: []kind.Desired{parent, secret}, Have: kind.Snapshot{"Thing": {Err: errors.New("x")}}})
	want := []bool{false, true}
	var got []bool
	for _, w := range p.Workloads {
		got = append(got, w.Data)
	}
	if !slices.Equal(got, want) || len(p.Workloads[0].Notes) != 1 {
		t.Errorf("workloads are %+v", p.Workloads)
	}
}

// The usual messages are K-ORC's: what reads its conditions reads ours.
func TestConditionsHaveUsualMessages(t *testing.T) {
	other := manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "other"}
	for _, c := range []struct {
		step                   Step
		available, progressing string
	}{
		{Step{Action: Keep, have: &kind.Live{ID: "id-1", Phase: kind.Ready, State: &thingtest.Thing{}}}, "OpenStack resource is available", "OpenStack resource is up to date"},
		{Step{Action: Wait, Awaits: []manifest.Key{other}, Causes: cause.List{cause.Of(cause.WaitsFor, other)}}, "Waiting for Thing/other to be ready", "Waiting for Thing/other to be ready"},
		{Step{Action: Wait, Awaits: []manifest.Key{other}, Causes: cause.List{cause.Of(cause.Reported, "waits for its quota")}}, "waits for its quota", "waits for its quota"},
	} {
		c.step.Key = manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "x"}
		got := Statuses(Plan{Stack: "s", Steps: []Step{c.step}}, []*kind.Kind{thingtest.New().Kind()})[0].Status.Conditions
		if got[0].Message != c.available || got[1].Message != c.progressing {
			t.Errorf("%s: got %q and %q, want %q and %q", c.step.Reason(), got[0].Message, got[1].Message, c.available, c.progressing)
		}
	}
}

// A workload counts what of it can be used: machines of a group, through whatever holds the group; all else is one thing.
func TestReadyCountsMembers(t *testing.T) {
	key := func(kind, name string) manifest.Key {
		return manifest.Key{Kind: kind, Namespace: "default", Name: name}
	}
	cluster, group := key("Cluster", "c"), key("Group", "g")
	p := Plan{Workloads: []Workload{{Key: cluster}, {Key: group, Parent: cluster}}}
	for name, phase := range map[string]kind.Phase{"a": kind.Ready, "b": kind.Ready, "c": kind.Pending} {
		machine := key("Machine", name)
		p.Workloads = append(p.Workloads, Workload{Key: machine, Parent: group})
		p.Steps = append(p.Steps, Step{Key: key("Thing", name), Parent: machine, Action: Keep, have: &kind.Live{ID: name, Phase: phase, State: &thingtest.Thing{}}})
	}
	p.Steps = append(p.Steps, Step{Key: key("Thing", "extra"), Parent: group, Action: Create}, Step{Key: key("Thing", "hidden"), Action: Wait, Error: true})
	p.Steps[0].have.Created, p.Steps[1].have.Created = time.Unix(20, 0), time.Unix(10, 0)
	got := map[string]string{}
	for _, o := range Statuses(p, nil) {
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

// What waits for another object goes on by itself only where the plan is carried out.
func TestWhatWaitsInAPlanThatIsStoppedSaysSo(t *testing.T) {
	waits := Step{Key: manifest.Key{Group: "test", Kind: "Thing", Name: "x"}, Action: Wait, Awaits: []manifest.Key{{Kind: "Thing", Name: "y"}}, Causes: cause.List{cause.Of(cause.WaitsFor, manifest.Key{Kind: "Thing", Name: "y"})}}
	for _, c := range []struct {
		plan   Plan
		reason string
	}{{Plan{}, ReasonProgressing}, {Plan{Held: "too many"}, ReasonHeld}, {Plan{Suspended: "by its folder"}, ReasonSuspended}} {
		c.plan.Steps = []Step{waits}
		for _, is := range Statuses(c.plan, nil)[0].Status.Conditions {
			if is.Reason != c.reason {
				t.Errorf("held %q, suspended %q: %s is %s %s, want %s", c.plan.Held, c.plan.Suspended, is.Type, is.Status, is.Reason, c.reason)
			}
		}
	}
}

// Every reason has a place among them, and a meaning.
func TestReasonsAreKnown(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Reasons() {
		if r.Means == "" || seen[r.Reason] {
			t.Errorf("%s: %q", r.Reason, r.Means)
		}
		seen[r.Reason] = true
	}
	if graver(ReasonSuccess, ReasonFatal) || !graver(ReasonFatal, ReasonSuccess) || graver("unheard of", ReasonSuccess) {
		t.Error("the order is not that of the table")
	}
}
