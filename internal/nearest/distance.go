package nearest

// longest is the maximum length in bytes of a text that is compared. It is the maximum length of a name in a
// manifest.
const longest = 253

// Distance returns the number of letters to insert, delete, replace or swap with a neighbour to turn a into b.
// If there are more than most, the result is only larger than most. The cost is the length of a times most,
// because letters are compared only within most positions.
func Distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most || len(a) > longest || len(b) > longest {
		return most + 1
	}
	var rows [3][longest + 1]int
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
			if j < i+most || i == 1 { // the cell above is within the band
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
