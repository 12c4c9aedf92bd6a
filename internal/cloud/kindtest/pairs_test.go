package kindtest

import "testing"

func TestPairs(t *testing.T) {
	for _, choices := range []int{2, 4, 10} {
		rows := Pairs(t, choices)
		for a := range choices {
			for b := range a {
				seen := map[[2]bool]bool{}
				for _, row := range rows {
					seen[[2]bool{row[a], row[b]}] = true
				}
				if len(seen) != 4 {
					t.Errorf("%d choices: %d and %d are made in %d ways", choices, a, b, len(seen))
				}
			}
		}
	}
}
