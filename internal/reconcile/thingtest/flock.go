package thingtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Flock returns a kind of group whose members are Things, all alike.
func Flock() *kind.Kind {
	return typed.Workload[flockSpec]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Flock"}, Group: kind.Group{Members: "Thing"}, Validate: func(*flockSpec, *kind.Report) {}, Expand: expandFlock}.Kind()
}

type flockSpec struct {
	Count int      `json:"count"`
	Down  int      `json:"down"`  // number of members that may be down.
	Surge int      `json:"surge"` // number of spare members.
	Ready int      `json:"ready"` // seconds that a member must have worked before it counts.
	From  int      `json:"from"`  // first member that is changed.
	Asked bool     `json:"asked"` // whether probes ask members if they serve.
	Heal  bool     `json:"heal"`  // whether members that do not serve are healed.
	Try   int      `json:"try"`   // seconds for which the first member must work before others are changed.
	Late  int      `json:"late"`  // seconds after which a member that does not serve has failed.
	Back  bool     `json:"back"`  // whether the flock goes back to its earlier version after a failure.
	Says  bool     `json:"says"`  // whether its manifest says how members are changed.
	Own   bool     `json:"own"`   // whether each member has a different colour.
	Thing thingDoc `json:"thing"`
}

// probes returns a probe that asks every second, if Asked is true.
func (s *flockSpec) probes() []rollout.Probe {
	if !s.Asked {
		return nil
	}
	return []rollout.Probe{{Type: "http", Port: 80, Path: "/", Interval: time.Second, Timeout: time.Second, Threshold: 2}}
}

type thingDoc struct {
	Resource Spec `json:"resource"`
}

func expandFlock(s *flockSpec, e *kind.Expansion) {
	down := &rollout.Amount{Count: max(1, s.Down)}
	if s.Surge > 0 && s.Down == 0 {
		down = nil
	}
	name := func(i int) string { return kind.SpareName(e.Key.Name, i) }
	e.Varied("Thing", s.Surge, name, []any{map[string]any{"spec": s.Thing}}, func(int) int { return 0 }, kind.Spare)
	strategy := rollout.Strategy{MaxUnavailable: down, MaxSurge: &rollout.Amount{Count: s.Surge}, MinReady: time.Duration(s.Ready) * time.Second, Partition: s.From, From: s.From,
		Deadline: time.Duration(s.Late) * time.Second, Rollback: s.Back, Consents: s.Says}
	if s.Try > 0 {
		strategy.Canary = rollout.Canary{Members: 1, For: time.Duration(s.Try) * time.Second}
	}
	if s.Heal {
		strategy.Heal = rollout.Heal{Down: map[string]rollout.Cure{"stopped": Restart, "failed": rollout.Replace}, Silent: Restart, After: 2 * time.Minute,
			PerHour: 3, MaxSick: rollout.Amount{Percent: 50, Share: true}}
	}
	e.SetRollout(strategy, s.probes())
	for i := range s.Count {
		thing := s.Thing
		if s.Own {
			thing.Resource.Colour = fmt.Sprintf("colour %d", i)
		}
		e.Child("Thing", fmt.Sprintf("%s-%d", e.Key.Name, i), map[string]any{"spec": thing})
	}
}

// flock returns the manifest for the words of a line "flock NAME field=value …". The fields colour, shape and atop belong to the members.
func flock(words []string) string {
	var spec, thing []string
	for _, word := range words[1:] {
		switch field, value, _ := strings.Cut(word, "="); field {
		case "colour", "shape":
			thing = append(thing, field+": "+value)
		case "atop":
			thing = append(thing, "atop: ["+value+"]")
		default:
			spec = append(spec, field+": "+value)
		}
	}
	spec = append(spec, "thing: {resource: {"+strings.Join(thing, ", ")+"}}")
	return fmt.Sprintf("apiVersion: test/v1\nkind: Flock\nmetadata: {name: %s}\nspec: {%s}", words[0], strings.Join(spec, ", "))
}
