package kindtest

import "testing"

// Pairs returns a few rows, each of which says which of the choices are made. For every two choices, the rows contain all four cases: none of
// them, only the first, only the second, and both. In the first row, no choice is made.
func Pairs(t *testing.T, choices int) (rows [][]bool) {
	t.Helper()
	const most = 10 // each choice is in three of five rows, and no two are in the same three
	rows = make([][]bool, 6)
	for i := range rows {
		rows[i] = make([]bool, choices)
	}
	choice := 0
	for a := 1; a <= 5; a++ {
		for b := a + 1; b <= 5; b++ {
			for c := b + 1; c <= 5 && choice < choices; c++ {
				rows[a][choice], rows[b][choice], rows[c][choice] = true, true, true
				choice++
			}
		}
	}
	if choice < choices {
		t.Fatalf("%d choices, and at most %d", choices, most)
	}
	return rows
}
