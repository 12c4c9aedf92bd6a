package qospolicy

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
)

// An exported manifest has exactly the rules of the policy.
func TestExportWritesRules(t *testing.T) {
	mark := 26
	var have define.State[Spec, More]
	have.More.Rules = []Rule{{ID: "1", Type: limit, Direction: "egress", MaxKbps: 3000, MaxBurstKbps: 300}, {ID: "2", Type: minimum, Direction: "ingress", MinKbps: 100}, {ID: "3", Type: marking, DSCPMark: &mark}}
	var spec Spec
	export(&have, &spec, nil)
	if got, want := fmt.Sprint(rules(&spec)), fmt.Sprint(have.More.Rules); got != want {
		t.Errorf("rules are %s, want %s", got, want)
	}
}
