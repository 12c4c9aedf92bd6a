package main

import "strconv"

// These environment variables name the active guard, and the file for the guards that were reached.
const (
	chosenVariable  = "MUTANT"
	reachedVariable = "MUTANTS_REACHED"
)

// guards returns the text of a file that is added to the package. It contains the guards, and the functions that
// replace operators.
func guards(pkg string, n int) string {
	return "package " + pkg + `

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantChosen, _ = strconv.Atoi(os.Getenv("` + chosenVariable + `"))
	mutantFile      = os.Getenv("` + reachedVariable + `")
	mutantReached   [` + strconv.Itoa(n+1) + `]atomic.Bool
)

func mutantGuard(n int) bool {
	if mutantFile != "" && mutantReached[n].CompareAndSwap(false, true) {
		if f, err := os.OpenFile(mutantFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintln(f, n)
			f.Close()
		}
	}
	return n == mutantChosen
}

func mutantLess[T cmp.Ordered](n int, a, b T) bool        { return a < b || mutantGuard(n) && a <= b }
func mutantMore[T cmp.Ordered](n int, a, b T) bool        { return a > b || mutantGuard(n) && a >= b }
func mutantLessOrEqual[T cmp.Ordered](n int, a, b T) bool { return a < b || !mutantGuard(n) && a <= b }
func mutantMoreOrEqual[T cmp.Ordered](n int, a, b T) bool { return a > b || !mutantGuard(n) && a >= b }

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantSum[T mutantNumber](n int, a, b T) T {
	if mutantGuard(n) {
		return a - b
	}
	return a + b
}

func mutantDifference[T mutantNumber](n int, a, b T) T {
	if mutantGuard(n) {
		return a + b
	}
	return a - b
}
`
}
