package plan

import (
	"errors"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// steps of every sort, with the two conditions they come to.
func TestConditionsOfSteps(t *testing.T) {
	live := func(phase kind.Phase, message string) *kind.Live[any] {
		return &kind.Live[any]{ID: "id-1", Phase: phase, Message: message, State: &thingtest.Thing{Colour: "red"}}
	}
	changed := []kind.Change{{Field: "spec.resource.colour"}}
	for _, c := range []struct {
		name                   string
		step                   Step
		available, progressing string
	}{
		{"as wanted", Step{Action: Keep, have: live(kind.Ready, "")}, "True Success", "False Success"},
		{"unwell", Step{Action: Keep, have: live(kind.Degraded, "one member down")}, "True Success", "False Success"},
		{"a part is unwell", Step{Action: Keep, have: live(kind.Ready, "a member is down")}, "True Success", "False Success"},
		{"stopped", Step{Action: Keep, have: &kind.Live[any]{Phase: kind.Degraded, Down: "stopped", Message: "is SHUTOFF", State: &thingtest.Thing{}}}, "False UnrecoverableError", "False Success"},
		{"drift that is reported", Step{Action: Keep, have: live(kind.Ready, ""), Changes: changed}, "True Success", "False InvalidConfiguration"},
		{"suspended and missing", Step{Action: Keep, Reason: "suspended; it does not exist"}, "False Progressing", "False Success"},
		{"missing", Step{Action: Create}, "False Progressing", "True Progressing"},
		{"different", Step{Action: Update, have: live(kind.Ready, ""), Changes: changed}, "True Success", "True Progressing"},
		{"being built", Step{Action: Wait, have: live(kind.Pending, "BUILD"), Reason: "BUILD"}, "False Progressing", "True Progressing"},
		{"broken", Step{Action: Recreate, have: live(kind.Failed, "no host"), Reason: "failed: no host"}, "False UnrecoverableError", "True Progressing"},
		{"unwanted", Step{Action: Delete, have: live(kind.Ready, "")}, "True Success", "True Progressing"},
		{"list failed", Step{Action: Wait, Error: true, Reason: "503"}, "Unknown TransientError", "True TransientError"},
		{"name taken", Step{Action: Refuse, Error: true, Reason: "taken"}, "False UnrecoverableError", "False UnrecoverableError"},
		{"nothing to import", Step{Action: Wait, Error: true, Reason: "none", cause: reasonProgressing}, "False Progressing", "True Progressing"},
		{"nothing with that ID", Step{Action: Wait, Error: true, Reason: "none", cause: reasonFatal}, "False UnrecoverableError", "False UnrecoverableError"},
		{"several to import", Step{Action: Refuse, Error: true, Reason: "two", cause: reasonInvalid}, "False InvalidConfiguration", "False InvalidConfiguration"},
		{"replace refused", Step{Action: Refuse, have: live(kind.Ready, ""), Reason: "cannot"}, "True Success", "False InvalidConfiguration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.step.Key = manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "x"}
			list := Statuses(Plan{Stack: "s", Steps: []Step{c.step}}, []kind.Kind{thingtest.New().Kind()})
			got := list[0].Status.Conditions
			if a := got[0].Status + " " + got[0].Reason; got[0].Type != "Available" || a != c.available {
				t.Errorf("available: %s (%s), want %s", a, got[0].Message, c.available)
			}
			if p := got[1].Status + " " + got[1].Reason; got[1].Type != "Progressing" || p != c.progressing {
				t.Errorf("progressing: %s (%s), want %s", p, got[1].Message, c.progressing)
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
	ready := &kind.Live[any]{ID: "1", Phase: kind.Ready, State: &thingtest.Thing{}}
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
		if c := got[kind]; c[0].Status != "True" || c[1].Status != "False" || c[1].Reason != reasonSuccess {
			t.Errorf("%s of good parts: %+v", kind, c)
		}
	}
	got = statuses(good, Step{Key: key("Thing", "b"), Parent: machine, Action: Create}, Step{Key: key("Thing", "c"), Parent: machine, Action: Refuse, Error: true, Reason: "no quota"})
	for _, kind := range []string{"Machine", "Group"} {
		c := got[kind]
		if c[0].Status != "False" || c[0].Reason != reasonFatal || c[1].Status != "True" || c[1].Reason != reasonFatal {
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
		{Step{Action: Keep, have: &kind.Live[any]{ID: "id-1", Phase: kind.Ready, State: &thingtest.Thing{}}}, "OpenStack resource is available", "OpenStack resource is up to date"},
		{Step{Action: Wait, Awaits: []manifest.Key{other}, Reason: "waits for " + other.String()}, "Waiting for Thing/other to be ready", "Waiting for Thing/other to be ready"},
		{Step{Action: Wait, Awaits: []manifest.Key{other}, Reason: "waits for its quota"}, "waits for its quota", "waits for its quota"},
	} {
		c.step.Key = manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "x"}
		got := Statuses(Plan{Stack: "s", Steps: []Step{c.step}}, []kind.Kind{thingtest.New().Kind()})[0].Status.Conditions
		if got[0].Message != c.available || got[1].Message != c.progressing {
			t.Errorf("%s: got %q and %q, want %q and %q", c.step.Reason, got[0].Message, got[1].Message, c.available, c.progressing)
		}
	}
}
