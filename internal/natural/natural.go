// Package natural sorts names as people do: web-2 before web-10.
//
// It does not depend on the meaning of the names.
package natural

import (
	"cmp"
	"slices"
	"strings"
)

// Compare compares two texts part by part: numbers by their value, everything else byte by byte. Different texts
// are never equal, so the order can also be used for sets.
func Compare(a, b string) int {
	wholeA, wholeB := a, b
	for a != "" && b != "" {
		numberA, numberB := digits(a), digits(b)
		if numberA != "" && numberB != "" {
			if c := compareNumbers(numberA, numberB); c != 0 {
				return c
			}
			a, b = a[len(numberA):], b[len(numberB):]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(wholeA, wholeB))
}

// Sort sorts texts with Compare.
func Sort(texts []string) { slices.SortFunc(texts, Compare) }

func digits(text string) string {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n]
}

func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
