// Package tiny has one of each place that can be changed.
package tiny

type flag bool

const limit = 3 + 4

// Sum adds what is between 0 and the limit, and counts it.
func Sum(numbers []int, count func()) (sum int) {
	for _, n := range numbers {
		if n < 0 || n > limit {
			continue
		}
		sum = sum + n
		count()
	}
	return sum
}

// Word says something of a number; no test asks for an odd one above ten.
func Word(n int) string {
	if n == 0 {
		return "nothing" + ""
	}
	if isEven(n) && !(n > 10) {
		return "even"
	}
	switch {
	case isEven(n):
		return "much"
	}
	return "odd"
}

func isEven(n int) bool { return n%2 == 0 }

func isSmall(n int) flag { return n < 3 && n >= 0 }

// Unused is not tested.
func Unused(n int) bool { return !bool(isSmall(n)) }
