package testcost

import "testing"

// NotUnderRace skips a test that the race detector makes long and can find nothing in: one that drives
// a program which is built without it, goes through one goroutine, or repeats in large numbers what
// other tests do under it. `make test` runs such tests without it afterwards; the Makefile names them.
func NotUnderRace(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("it takes long under the race detector; make test runs it without")
	}
}
