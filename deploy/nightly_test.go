package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNightly checks that the campaign of faults runs each night, with another seed and more cases than in the long tests. The results of a failed
// run are kept.
func TestNightly(t *testing.T) {
	night := workflows(t)[filepath.Join("..", ".github", "workflows", "nightly.yml")]
	var on map[string]any
	if err := night.On.Decode(&on); err != nil || on["schedule"] == nil {
		t.Error("nightly.yml does not run by a schedule:", err)
	}
	var commands, kept strings.Builder
	for _, j := range night.Jobs {
		for _, s := range j.Steps {
			commands.WriteString(s.Run + "\n")
			if strings.HasPrefix(s.Uses, "actions/upload-artifact@") {
				kept.WriteString(s.With["path"].(string) + "\n")
			}
		}
	}
	for _, want := range []string{`make campaign SEED="$(date -u +%Y%m%d)" CASES=4000 TABLE="$PWD/bin/campaign.md"`, "make fuzz FUZZTIME=60s"} {
		if !strings.Contains(commands.String(), want) {
			t.Errorf("nightly.yml does not run %s", want)
		}
	}
	for _, want := range []string{"bin/campaign*", "fuzz-inputs.tar.gz"} {
		if !strings.Contains(kept.String(), want) {
			t.Errorf("nightly.yml does not keep %s", want)
		}
	}
}

// TestCampaignFails checks that `make campaign` fails if a case does, although its output goes through a filter, and that the output has the command
// that repeats the case.
func TestCampaignFails(t *testing.T) {
	stub := filepath.Join(t.TempDir(), "go")
	for _, c := range []struct {
		script string
		fails  bool
	}{
		{"#!/bin/sh\necho '=== RUN   TestCampaign'\necho 'repeat: this'\nexit 1\n", true},
		{"#!/bin/sh\necho '=== RUN   TestCampaign'\necho 'repeat: this'\n", false},
	} {
		if err := os.WriteFile(stub, []byte(c.script), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "make", "-s", "-C", "..", "campaign", "GO="+stub, "VERSION=test").CombinedOutput()
		if (err != nil) != c.fails || !strings.Contains(string(out), "repeat: this") || strings.Contains(string(out), "=== RUN") {
			t.Errorf("make campaign: %v\n%s", err, out)
		}
	}
}
