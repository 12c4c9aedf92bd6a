package forgetest

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Dependent is a [Lab] whose forge has the ability [forge.Dependencies].
type Dependent interface {
	// DependsOn writes into a pull request that it depends on the others, as its author would.
	DependsOn(t *testing.T, number int, others ...int)
}

func testNeeds(t *testing.T, lab Lab) {
	main := lab.Branch()
	var all []int
	for _, name := range []string{"need-a", "need-b", "need-c"} {
		lab.Push(t, name, file(name+".yaml", "a: 1\n"))
		all = append(all, lab.OpenPull(t, name, main, name))
	}
	dependent, ok := lab.(Dependent)
	if ok != lab.Forge().Can.Has(forge.Dependencies) {
		t.Errorf("declared that %s: %v; the lab can do it: %v", forge.Dependencies, !ok, ok)
	}
	if ok {
		dependent.DependsOn(t, all[2], all[0], all[1], all[0])
	}
	for _, p := range open(t, lab, main) {
		var needs []int
		for _, need := range p.Needs {
			if need.Bond != forge.Named {
				t.Errorf("%d needs %+v", p.Number, need)
			}
			needs = append(needs, need.Number)
		}
		want := map[bool][]int{true: all[:2]}[ok && p.Number == all[2]]
		if !slices.Equal(needs, want) {
			t.Errorf("%d needs %v; want %v", p.Number, needs, want)
		}
	}
}
