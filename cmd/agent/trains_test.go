package main

import (
	"encoding/json"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// The plan of a merge train's commit shows the effects of all its merge requests together.
func TestPlanOfAMergeTrain(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	g, r := newGitLab(t, "@every 1h")
	base := g.Push(t, g.Branch(), networks("one"))
	for _, name := range []string{"two", "three"} {
		g.Push(t, name, networks(name))
		number := g.OpenPull(t, name, g.Branch(), name)
		base, _ = g.Train(number, base)
	}
	out, err := r.command("plan", "--stack", "prod", "--ref", "refs/merge-requests/2/train", "--exit-code=false", "-o", "json").Output()
	var planned struct {
		Commit string
		Steps  []struct {
			Key    struct{ Name string }
			Action string
		}
	}
	if wrong := json.Unmarshal(out, &planned); err != nil || wrong != nil || planned.Commit != base {
		t.Fatalf("%v, %v, commit %q; want %s", err, wrong, planned.Commit, base)
	}
	created := map[string]bool{}
	for _, s := range planned.Steps {
		created[s.Key.Name] = s.Action == "create"
	}
	if len(created) != 3 || !created["one"] || !created["two"] || !created["three"] {
		t.Errorf("the plan creates %v", created)
	}
	if list, err := r.lab.Forge().Statuses(t.Context(), base); err != nil || len(list) > 0 {
		t.Errorf("the train's commit has the statuses %+v (%v)", list, err)
	}
}
