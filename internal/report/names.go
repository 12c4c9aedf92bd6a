package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Ranges are names in their order, those that count up together: web-0 … web-49.
func Ranges(names []string) []string {
	var out []string
	for i := 0; i < len(names); {
		last := i
		for last+1 < len(names) && follows(names[last], names[last+1]) {
			last++
		}
		if last-i < fewest-1 {
			last = i
			out = append(out, names[i])
		} else {
			out = append(out, names[i]+" … "+names[last])
		}
		i = last + 1
	}
	return out
}

// follows tells whether two names differ in their number at the end only, and the
// second one's is the next.
func follows(a, b string) bool {
	stemA, numberA, ok1 := numbered(a)
	stemB, numberB, ok2 := numbered(b)
	return ok1 && ok2 && stemA == stemB && numberB == numberA+1
}

func numbered(name string) (stem string, number int, ok bool) {
	stem = strings.TrimRight(name, "0123456789")
	digits := name[len(stem):]
	number, err := strconv.Atoi(digits)
	return stem, number, err == nil && strconv.Itoa(number) == digits
}

// fewNames are the first names, and how many pieces are left out.
func fewNames(names []string) []string {
	const most = 6
	if len(names) > most+1 {
		return append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return names
}
