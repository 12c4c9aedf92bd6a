package config

import (
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// TestWindows checks that the windows of a configuration become policies. Each policy returns the time until
// which it is valid.
func TestWindows(t *testing.T) {
	stacks, err := Load([]string{write(t, strings.Replace(full, "drift: report", `drift: report, windows: [
    {schedule: 0 22 * * *, duration: 8h, timeZone: Europe/Berlin},
    {kind: deny, schedule: 0 0 * * *, duration: 1h, timeZone: Europe/Berlin},
    {schedule: 0 2 * * *, duration: 2h, timeZone: Europe/Berlin, changes: destructive}]`, 1))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(clock string) plan.Plan {
		when, err := time.Parse(time.RFC3339, "2026-11-24T"+clock+":00+01:00")
		if err != nil {
			t.Fatal(err)
		}
		return plan.Plan{At: when}.Apply(stacks[0].Policies()...)
	}
	for clock, want := range map[string]string{
		"12:00": "allow no change before Tue 2026-11-24 22:00 +0100",
		"00:30": "allow no change before Tue 2026-11-24 01:00 +0100",
		"05:59": "", "23:00": "",
		"06:00": "before Tue 2026-11-24 22:00 +0100",
	} {
		if p := at(clock); !strings.Contains(p.Suspended, want) || want == "" && p.Suspended != "" {
			t.Errorf("at %s: %q, want %q", clock, p.Suspended, want)
		}
	}
	if closes := at("23:00").Closes; closes.Format("15:04") != "00:00" {
		t.Errorf("at 23:00 it closes at %s", closes)
	}
}
