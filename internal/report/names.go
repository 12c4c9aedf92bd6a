package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Ranges replaces names with consecutive numbers by the first and the last of them: web-0 … web-49.
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

// follows reports whether two names differ only in their last number, and the number in b is one higher.
func follows(a, b string) bool {
	beforeA, numberA, afterA := numbered(a)
	beforeB, numberB, afterB := numbered(b)
	if beforeA != beforeB || afterA != afterB {
		return false
	}
	first, err1 := strconv.Atoi(numberA)
	next, err2 := strconv.Atoi(numberB)
	padded := len(numberA) > 1 && numberA[0] == '0' || len(numberB) > 1 && numberB[0] == '0'
	return err1 == nil && err2 == nil && next == first+1 && (!padded || len(numberA) == len(numberB))
}

// numbered splits a name at its last number.
func numbered(name string) (before, number, after string) {
	const digits = "0123456789"
	end := strings.LastIndexAny(name, digits) + 1
	before = strings.TrimRight(name[:end], digits)
	return before, name[len(before):end], name[end:]
}

// fewNames returns the first names, and a text with the number of the remaining names.
func fewNames(names []string) []string {
	const most = 6
	if len(names) > most+1 {
		return append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return names
}
