package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// maxPlanners is the largest number of planners that one plan may need.
const maxPlanners = 4

// These laws are true for any repository and any cloud:
//
//   - One input gives one plan.
//   - Each object that has a mark of the stack has a step.
//   - At most one step writes an object.
//   - An object without a mark of the stack that no manifest names is neither deleted nor changed.
//   - No more members of a group are interrupted than may be away.
func TestPlansOfAnyWorld(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		repo, cloud := thingtest.Lines(rt)
		w := thingtest.New()
		w.Data = rapid.Bool().Draw(rt, "data")
		want, err := w.Wanted(repo...)
		if err != nil {
			rt.Fatalf("%q: %v", repo, err)
		}
		thingtest.Fill(t, w, cloud, want)
		in := world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind(), thingtest.Flock()}, Now: time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC), Want: want, Have: w.Snapshot(), Past: world.Past{KnownIDs: map[string]string{}},
			Synced: rapid.Bool().Draw(rt, "synced"), Rules: world.Rules{Replace: rapid.Bool().Draw(rt, "replace"), UseForeign: rapid.Bool().Draw(rt, "others")}}
		if rapid.IntRange(0, 3).Draw(rt, "lost") == 0 {
			in.KnownIDs[thingtest.Key("n1").String()] = "id-002"
		}
		p := Compute(in)
		if again := Compute(in); write(again) != write(p) || again.Hash() != p.Hash() {
			rt.Fatalf("two plans for %q and %q:\n%s\n%s", repo, cloud, write(p), write(again))
		}
		if _, times := lastPlanner(in); times > maxPlanners {
			rt.Fatalf("%q and %q: decided %d times", repo, cloud, times)
		}
		if err := lawful(in, p); err != nil {
			rt.Fatalf("%q and %q: %v\n%s", repo, cloud, err, write(p))
		}
	})
}

func lawful(in world.Input, p plan.Plan) error {
	// told contains the IDs of all steps. It also contains the names of objects that are refused or kept, because their identity may be
	// unknown.
	writes, told := map[string]int{}, map[string]bool{}
	for _, s := range p.Steps {
		if told[s.ID()] = true; s.Action == plan.Refuse || s.Action == plan.Keep {
			told[s.Key.Name] = true
		}
		if s.Have == nil || !s.Action.Writes() {
			continue
		}
		if writes[s.ID()]++; writes[s.ID()] > 1 {
			return fmt.Errorf("%s is written by two steps", s.ID())
		}
		remembered := in.KnownIDs[s.Key.String()] == s.ID() // the agent has seen the object before, and somebody removed its mark
		if ours := remembered || s.Have.Mark != nil && s.Have.Mark.Rivals == "" && s.Have.Copied == ""; !ours && s.Action != plan.Update && !s.Adopts {
			return fmt.Errorf("%s %s, which nobody but a mark that proves nothing says is ours", s.Action, s.ID())
		}
		if !s.Have.InOwnProject {
			return fmt.Errorf("%s %s of another project", s.Action, s.ID())
		}
	}
	for i := range in.Have["Thing"].Items {
		l := in.Have["Thing"].Items[i]
		o, ok := ownertext.Owner{}, false
		if l.Mark != nil && l.InOwnProject {
			o, ok = ownertext.Parse(l.Mark.Owner)
		}
		if ok && o.Of("s") && !told[l.ID] && !told[strings.TrimPrefix(o.Name, "old-")] {
			return fmt.Errorf("the plan overlooks %s", l.ID)
		}
	}
	return takesTurns(in, p)
}

// takesTurns returns an error if a group would lose more members at the same time than its strategy allows. If an object that all members
// depend on is replaced, they may be replaced together.
func takesTurns(in world.Input, p plan.Plan) error {
	for i := range in.Want {
		group := &in.Want[i]
		if group.Rollout == nil {
			continue
		}
		members, serving, interrupted, together := 0, 0, 0, false
		for _, s := range p.Steps {
			for _, c := range s.Changes {
				together = together || fmt.Sprint(c.Want) == "the new one"
			}
			switch {
			case s.Surplus || s.Part == nil || s.Part.Group != group.Key:
			case s.Key.Name == s.Part.Member.Name && !strings.HasPrefix(s.Key.Name, group.Key.Name+"-spare-"):
				members++
				fallthrough
			default:
				if s.Have == nil || !s.Have.Phase.Usable() || s.Have.Down != "" {
					continue
				}
				serving++
				if s.Action.Writes() && s.Disruption() >= kind.Reboot && s.Turn.IsZero() && len(s.Awaits) == 0 {
					interrupted++
				}
			}
		}
		if least := members - group.Rollout.Unavailable(members); interrupted > 0 && !together && serving-interrupted < least {
			return fmt.Errorf("%d of %d members of %s serve, %d are interrupted, and %d have to serve", serving, members, group.Key, interrupted, least)
		}
	}
	return nil
}
