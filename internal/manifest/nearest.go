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
// beyond most, and looks at no more than most letters to either side: its cost is the length of a times most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most || len(a) > longestName || len(b) > longestName {
		return most + 1
	}
	var rows [3][longestName + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-most), min(len(b), i+most)
		row[from-1] = most + 1
		if from == 1 {
			row[0] = i
		}
		least := row[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := last[j-1] + cost
			if j < i+most || i == 1 { // above is within the band
				d = min(d, last[j]+1)
			}
			d = min(d, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > most+1 {
			return most + 1
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
