package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func read(t *testing.T, text string) (o object) {
	t.Helper()
	var answer table.Attributes
	err := json.Unmarshal([]byte(text), &answer)
	if err == nil {
		err = o.Read(answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestPhase(t *testing.T) {
	tests := []struct {
		name, shown string
		phase       kind.Phase
		message     string
	}{
		{"running", `{"status": "ACTIVE"}`, kind.Ready, ""},
		{"on its way out", `{"status": "ACTIVE", "OS-EXT-STS:task_state": "deleting"}`, kind.Deleting, "being deleted"},
		{"soft deleted", `{"status": "SOFT_DELETED"}`, kind.Deleting, "being deleted"},
		{"building", `{"status": "BUILD", "OS-EXT-STS:task_state": "spawning"}`, kind.Pending, "is in BUILD spawning"},
		{"stopped", `{"status": "SHUTOFF", "OS-EXT-STS:task_state": null}`, kind.Degraded, "is SHUTOFF"},
		{"resized", `{"status": "VERIFY_RESIZE"}`, kind.Degraded, "confirm or revert"},
		{"never built", `{"status": "ERROR", "OS-SRV-USG:launched_at": null, "fault": {"message": "No valid host was found. "}}`, kind.Failed, "No valid host was found"},
		{"broke later", `{"status": "ERROR", "OS-SRV-USG:launched_at": "2026-01-01T00:00:00.000000", "fault": {"message": "disk full"}}`, kind.Degraded, "disk full"},
		{"no fault told", `{"status": "ERROR"}`, kind.Failed, "no reason"},
		{"unheard of", `{"status": "DREAMING"}`, kind.Degraded, "is DREAMING"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			shown := read(t, tt.shown)
			phase, message := shown.More.phase()
			if phase != tt.phase || !strings.Contains(message, tt.message) {
				t.Errorf("%s %q, want %s %q", phase, message, tt.phase, tt.message)
			}
		})
	}
}

func TestDown(t *testing.T) {
	for text, want := range map[string]string{
		`{"status": "ACTIVE"}`: "", `{"status": "BUILD"}`: "", `{"status": "VERIFY_RESIZE"}`: "", `{"status": "DREAMING"}`: "",
		`{"status": "SHUTOFF"}`: "stopped", `{"status": "SHELVED_OFFLOADED"}`: "shelved", `{"status": "PAUSED"}`: "paused",
		`{"status": "SHUTOFF", "OS-EXT-STS:task_state": "deleting"}`:                  "",
		`{"status": "ERROR", "OS-SRV-USG:launched_at": "2026-01-01T00:00:00.000000"}`: "failed",
	} {
		var live kind.Live
		if observe(&state{Object: read(t, text)}, &live); live.Down != want {
			t.Errorf("%s: %q, want %q", text, live.Down, want)
		}
	}
}

func TestImageOfAServerBootedFromAVolume(t *testing.T) {
	for text, id := range map[string]string{`{"image": ""}`: "", `{"image": null}`: "", `{"image": {"id": "i1"}}`: "i1"} {
		if got := read(t, text).Spec.ImageRef; got != id {
			t.Errorf("%s gives %q, want %q", text, got, id)
		}
	}
}

func TestScriptsSayWhatTheyAre(t *testing.T) {
	value := func(text string) typed.Want[Spec] {
		return typed.Want[Spec]{Spec: &Spec{UserData: &UserData{Value: &text, Script: true}}}
	}
	for text, want := range map[string]string{
		"ls": "#!/bin/sh\nls", "#!/bin/bash\nls": "#!/bin/bash\nls", "#cloud-config\n{}": "#cloud-config\n{}",
		"# a comment": "#!/bin/sh\n# a comment", `{"ignition": {}}`: `{"ignition": {}}`,
	} {
		if got, given := userData(value(text)); got != want || !given {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// If an additional property has the name of a field, the field's value is used.
func TestHints(t *testing.T) {
	h := SchedulerHints{Query: "[]", DifferentCell: []string{"c"}, BuildNearHostIP: "192.0.2.0/24",
		AdditionalProperties: map[string]string{"rack": "r1", "query": "other", "cidr": "other", "buildNearHostIP": "kept"}}
	w := want{Spec: &Spec{SchedulerHints: &h}}
	text, err := json.Marshal(hints(w, table.New[Spec, More]().Creation(w)[hintsAttribute]))
	const all = `{"buildNearHostIP":"kept","build_near_host_ip":"192.0.2.0","cidr":"/24","different_cell":["c"],"query":"[]","rack":"r1"}`
	if err != nil || string(text) != all {
		t.Errorf("got %s, %v; want %s", text, err, all)
	}
}
