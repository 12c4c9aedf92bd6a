package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/server"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

type state = define.State[server.Spec, server.More]

const userDataKey = mark.OwnerKey + "-user-data"

func read(t *testing.T, text string) []kind.Desired {
	t.Helper()
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, kinds(nil, defaults.Defaults{}))
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// planOf returns the plan's step for the server of the suite. state is the
// server in the cloud.
func planOf(t *testing.T, state *state) plan.Step {
	t.Helper()
	mark := kind.Mark{Owner: ownertext.Of("s", key)}
	have := kind.Snapshot{"Server": {Items: []*kind.Live{{ID: "s1", Name: state.Name, Mark: &mark, InOwnProject: true, Phase: kind.Ready, State: state}}}}
	for _, step := range decide.Compute(world.Input{Stack: "s", Kinds: kinds(nil, defaults.Defaults{}), Want: read(t, needs+"\n---\n"+object), Have: have, Rules: world.Rules{Replace: true}}).Steps {
		if step.Key == key {
			return step
		}
	}
	t.Fatal("no step")
	return plan.Step{}
}

func shown() *state {
	name, description, drive := "web-1", "says hello", true
	s := &state{Name: name}
	s.Notes = map[string]string{userDataKey: checksum.Short("#!/bin/sh\necho one\n"), mark.OwnerKey + "-hints": checksum.Short(`{"additionalProperties":{"rack":"r1"}}`)}
	s.Spec = server.Spec{Name: &name, Description: &description, Tags: []string{"blue", "web"}, AvailabilityZone: "az-a", ConfigDrive: &drive,
		Metadata: []server.Metadata{{Key: "role", Value: "front"}}}
	return s
}

func fieldsOf(s plan.Step) []string {
	var out []string
	for _, c := range s.Changes {
		if c.Field != kind.MarkField {
			out = append(out, c.Field+" "+c.Disruption.String())
		}
	}
	return out
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name   string
		change func(*state)
		want   string
	}{
		{"as wanted", func(*state) {}, ""},
		{"its fingerprints are lost", func(s *state) { delete(s.Notes, userDataKey) }, "spec.resource.userData in place"},
		{"other user data", func(s *state) { s.Notes[userDataKey] = "x" }, "spec.resource.userData replace: deleted and recreated"},
		{"somebody's port", func(s *state) { s.More.Interfaces = []server.Interface{{PortID: "p1"}} }, "spec.resource.ports in place"},
		{"somebody's volume", func(s *state) { s.More.Volumes = []server.Volume{{ID: "v1"}} }, "spec.resource.volumes in place"},
		{"a group that cannot be seen", func(s *state) { s.More.GroupsKnown = false }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := shown()
			tt.change(s)
			if got := strings.Join(fieldsOf(planOf(t, s)), "; "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUserDataStaysSecret(t *testing.T) {
	s := shown()
	s.Notes[userDataKey] = "x"
	text, err := json.Marshal(planOf(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "echo one") {
		t.Errorf("the plan tells the user data: %s", text)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ name, old, new, problem string }{
		{"nothing to boot from", "    imageRef: os\n", "", "spec.resource"},
		{"two things to boot from", "imageRef: os\n", "imageRef: os\n    bootVolume: {volumeRef: v}\n", "spec.resource.bootVolume"},
		{"tag", "[web, blue]", "[web/blue]", "spec.resource.tags[0]"},
		{"reserved metadata", "key: role", "key: stackreeve-applied", "spec.resource.metadata[0].key"},
		{"metadata twice", "[{key: role, value: front}]", "[{key: role, value: a}, {key: role, value: b}]", "spec.resource.metadata[1].key"},
		{"no such entry", "key: value}}", "key: vlaue}}", "spec.resource.userData.secretKeyRef.key"},
		{"no such secret", "{name: scripts, key: value}}", "{name: elsewhere, key: value}}", "spec.resource.userData.secretKeyRef.name"},
		{"no source", "{secretKeyRef: {name: scripts, key: value}}", "{script: true}", "spec.resource.userData"},
		{"too long", "{secretKeyRef: {name: scripts, key: value}}", "{value: " + strings.Repeat("x", 49153) + "}", "spec.resource.userData.value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(object, tt.old) {
				t.Fatalf("%q is not in the manifest", tt.old)
			}
			text := needs + "\n---\n" + strings.Replace(object, tt.old, tt.new, 1)
			_, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, kinds(nil, defaults.Defaults{}))
			if !kindtest.Refuses(err, tt.problem) {
				t.Errorf("error is %v, want %q", err, tt.problem)
			}
		})
	}
}
