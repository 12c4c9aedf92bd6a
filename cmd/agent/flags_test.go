package main

import (
	"io"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func TestTheCommandThatApprovesIsTheOneThatWasTyped(t *testing.T) {
	for want, args := range map[string][]string{
		"stackreeve run --once --config a.yaml --config 'b c.yaml' --stack prod --approve":                               {"--config", "a.yaml", "--config", "b c.yaml", "--ref", "x", "-o", "json"},
		"stackreeve run --once --url=./it --stack prod --approve":                                                        {"--stack", "prod", "--url", "./it"},
		`stackreeve run --once --poll='@every 1m' --max-deletes=5% --url='it'\''s; rm -rf $HOME' --stack prod --approve`: {"--poll", "@every 1m", "--max-deletes", "5%", "--url", "it's; rm -rf $HOME"},
	} {
		cmd := (&app{out: io.Discard, err: io.Discard}).plan()
		if err := cmd.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		if got := approveCommand(cmd, "prod"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestTheWorstOutcomeCounts(t *testing.T) {
	order := []plan.Outcome{plan.InSync, plan.OutOfSync, plan.Invalid, plan.Broken}
	for i, a := range order {
		for j, b := range order {
			if got, want := worse(a, b), order[max(i, j)]; got != want {
				t.Errorf("worse(%s, %s) = %s, want %s", a, b, got, want)
			}
		}
	}
}
