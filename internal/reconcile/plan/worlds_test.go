package plan

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// For any repository and any cloud: one input gives one plan, each object that bears a mark of the stack has a step, one object has at
// most one step that writes, and nothing is deleted or changed that bears no mark of the stack and that no manifest names.
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
		in := Input{Stack: "s", Kinds: []kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot(), Lost: map[string]string{},
			Synced: rapid.Bool().Draw(rt, "synced"), Replace: rapid.Bool().Draw(rt, "replace"), Others: rapid.Bool().Draw(rt, "others")}
		if rapid.IntRange(0, 3).Draw(rt, "lost") == 0 {
			in.Lost[thingtest.Key("n1").String()] = "id-002"
		}
		p := Compute(in)
		if again := Compute(in); write(again) != write(p) || again.Hash() != p.Hash() {
			rt.Fatalf("two plans for %q and %q:\n%s\n%s", repo, cloud, write(p), write(again))
		}
		if err := lawful(in, p); err != nil {
			rt.Fatalf("%q and %q: %v\n%s", repo, cloud, err, write(p))
		}
	})
}

func lawful(in Input, p Plan) error {
	writes, told := map[string]int{}, map[string]bool{} // told are IDs, and names, present or former, of which it cannot be decided who they are
	for _, s := range p.Steps {
		if told[s.ID()] = true; s.Action == Refuse || s.Action == Keep {
			told[s.Key.Name] = true
		}
		if s.have == nil || !s.Action.Writes() {
			continue
		}
		if writes[s.ID()]++; writes[s.ID()] > 1 {
			return fmt.Errorf("%s is written by two steps", s.ID())
		}
		remembered := in.Lost[s.Key.String()] == s.ID() // somebody took its mark off
		if ours := remembered || s.have.Mark != nil && s.have.Mark.Rivals == "" && s.have.Copied == ""; !ours && s.Action != Update && !s.Adopts {
			return fmt.Errorf("%s %s, which nobody but a mark that proves nothing says is ours", s.Action, s.ID())
		}
		if !s.have.Mine {
			return fmt.Errorf("%s %s of another project", s.Action, s.ID())
		}
	}
	for i := range in.Have["Thing"].Items {
		l := &in.Have["Thing"].Items[i]
		o, ok := kind.Owner{}, false
		if l.Mark != nil && l.Mine {
			o, ok = kind.ParseOwner(l.Mark.Owner)
		}
		if ok && o.Of("s") && !told[l.ID] && !told[strings.TrimPrefix(o.Name, "old-")] {
			return fmt.Errorf("the plan overlooks %s", l.ID)
		}
	}
	return nil
}
