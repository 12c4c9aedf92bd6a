package virtualmachinegroup //nolint:testpackage // what is where is a pure function

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
)

// For any number of machines, each zone has the same number of them, or one more. If machines are
// added, no other machine gets another zone.
func TestSpreadIsBalanced(t *testing.T) {
	for zones := 1; zones <= 10; zones++ {
		all, count := machine.Spread(zones, 200), make([]int, zones)
		for n, zone := range all {
			count[zone]++
			if slices.Max(count)-slices.Min(count) > 1 {
				t.Fatalf("%d machines in %d zones: %v", n+1, zones, count)
			}
			if fewer := machine.Spread(zones, n); !slices.Equal(fewer, all[:n]) {
				t.Fatalf("%d machines in %d zones are elsewhere when there are 200", n, zones)
			}
		}
	}
}

// If a zone is added, it gets its share of the machines, and hardly any other
// machine gets another zone.
func TestAFurtherZoneMovesFew(t *testing.T) {
	const machines = 840
	for zones := 1; zones < 10; zones++ {
		before, after := machine.Spread(zones, machines), machine.Spread(zones+1, machines)
		moved, share := 0, machines/(zones+1)
		for i := range before {
			if before[i] != after[i] {
				moved++
			}
		}
		t.Logf("%d zones become %d: %d of %d move, %d have to", zones, zones+1, moved, machines, share)
		if most := max(share, machines/4); moved < share || moved > most {
			t.Errorf("%d zones become %d: %d of %d move, %d have to", zones, zones+1, moved, machines, share)
		}
	}
}

func groups(members ...int) (list []IsolationGroup) {
	for i := range members {
		list = append(list, IsolationGroup{Name: fmt.Sprintf("g%d", i), Zone: fmt.Sprintf("az-%d", i), Members: &members[i]})
	}
	return list
}

func TestPlaces(t *testing.T) {
	five := 5
	ab := []string{"a", "b"}
	for name, tt := range map[string]struct {
		spec   Spec
		hinted []int
		want   string
	}{
		"one":                        {Spec{}, nil, "[0] [0]"},
		"alike":                      {Spec{Replicas: &five}, nil, "[0 1 2 3 4] [0 0 0 0 0]"},
		"without one":                {Spec{Replicas: &five}, []int{2}, "[0 1 3 4 5] [0 0 0 0 0]"},
		"without what is not":        {Spec{Replicas: &five}, []int{7}, "[0 1 2 3 4] [0 0 0 0 0]"},
		"in zones":                   {Spec{Replicas: &five, Zones: ab}, nil, "[0 1 2 3 4] [0 1 0 1 0]"},
		"in zones, without one":      {Spec{Replicas: &five, Zones: ab}, []int{1}, "[0 2 3 4 5] [0 0 1 0 1]"},
		"in three zones":             {Spec{Replicas: &five, Zones: []string{"a", "b", "c"}}, nil, "[0 1 2 3 4] [0 1 2 1 0]"},
		"in groups":                  {Spec{IsolationGroups: groups(2, 2)}, nil, "[0 1 2 3] [0 1 0 1]"},
		"one group grows":            {Spec{IsolationGroups: groups(3, 2)}, nil, "[0 1 2 3 4] [0 1 0 1 0]"},
		"the other group grows":      {Spec{IsolationGroups: groups(2, 3)}, nil, "[0 1 2 3 5] [0 1 0 1 1]"},
		"one group is empty":         {Spec{IsolationGroups: groups(0, 2)}, nil, "[1 3] [1 1]"},
		"groups, without one":        {Spec{IsolationGroups: groups(2, 2)}, []int{0}, "[1 2 3 4] [1 0 1 0]"},
		"groups without any machine": {Spec{IsolationGroups: groups(0, 0)}, nil, "[] []"},
	} {
		hinted := map[int]bool{}
		for _, n := range tt.hinted {
			hinted[n] = true
		}
		numbers, in := tt.spec.places(hinted)
		if got := fmt.Sprint(numbers, in); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// Spare machines are spread like other machines. If the group has no machines
// in an isolation group, it has no spare machine there either.
func TestSparesAreWhereMachinesAre(t *testing.T) {
	for want, spec := range map[string]Spec{
		"[0 0 0]": {},
		"[0 1 0]": {Zones: []string{"a", "b"}},
		"[1 2 1]": {IsolationGroups: groups(0, 2, 2)},
	} {
		if got := fmt.Sprint(spec.beside(3)); got != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	if got := (&Spec{IsolationGroups: groups(0, 0)}).beside(2); len(got) != 2 {
		t.Errorf("groups without machines: %v", got)
	}
}
