package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// BenchmarkPlan makes the plan for 10,000 objects. Each of them depends on
// another one, and one in a hundred differs.
func BenchmarkPlan(b *testing.B) {
	const objects = 10_000
	w := thingtest.New()
	lines := make([]string, objects)
	for i := range lines {
		lines[i] = fmt.Sprintf("n%d colour=red", i)
		if i >= 100 {
			lines[i] += fmt.Sprintf(" atop=n%d near=n%d", i%100, i-1)
		}
	}
	want, err := w.Wanted(lines...)
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range want {
		mark := d.PlainMark("s")
		colour, own := "red", numberOf(b, d.Key)
		if own%100 == 0 {
			colour = "blue"
		}
		var on, near []string
		for _, ref := range d.Refs {
			if n := numberOf(b, ref.Key); ref.Fixed {
				on = []string{id(n)}
			} else {
				near = []string{id(n)}
			}
		}
		w.Things[id(own)] = &thingtest.Thing{ID: id(own), Name: d.Key.Name, Colour: colour, Mark: &mark, Mine: true, On: on, Near: near}
	}
	e := engineOf(w)
	have := e.Observe(context.Background(), want)
	b.ReportAllocs()
	for b.Loop() {
		plan := e.compute(Revision{Commit: "c", Want: want}, have, world.Past{}).Apply(guard.Brake(e.Limits, nil))
		if s := plan.Summary(); s.Update != objects/100 || s.Keep != objects-objects/100 {
			b.Fatal(s)
		}
	}
}

func id(n int) string { return fmt.Sprintf("id-%05d", n) }

// numberOf returns the number in the name of a Thing.
func numberOf(b *testing.B, key manifest.Key) (n int) {
	if _, err := fmt.Sscanf(key.Name, "n%d", &n); err != nil {
		b.Fatal(err)
	}
	return n
}
