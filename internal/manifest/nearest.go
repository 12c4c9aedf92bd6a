package manifest

import "strings"

// nearest is the candidate that a person most likely meant by name; "" when none is close.
func nearest(name string, candidates []string) string {
	best, least := "", 0
	for _, c := range candidates {
		if strings.EqualFold(name, c) {
			return c
		}
		most := min(3, max(1, min(len(name), len(c))/3))
		d := distance(strings.ToLower(name), strings.ToLower(c), most)
		if d <= most && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with a neighbour to turn a into b. It gives up
// beyond most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// didYouMean is the fix for a misspelt name, or the alternatives when none is close.
func didYouMean(name string, candidates []string) string {
	if c := nearest(name, candidates); c != "" {
		return "did you mean " + c + "?"
	}
	if len(candidates) == 0 {
		return ""
	}
	const most = 12
	if len(candidates) > most {
		return "known are " + strings.Join(candidates[:most], ", ") + ", …"
	}
	return "known are " + strings.Join(candidates, ", ")
}
