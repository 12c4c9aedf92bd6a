package testcost

import (
	"os"
	"testing"
)

// Long skips a test that takes more than a few seconds, unless STACKREEVE_TEST_LONG is set. So `make test` ends
// within minutes. `make test-all` and CI run all tests.
func Long(t testing.TB) {
	t.Helper()
	if !RunsLong() {
		t.Skip("it takes long; make test-all, or STACKREEVE_TEST_LONG=1, runs it")
	}
}

// NotUnderRace skips a test that takes long under the race detector and in which the detector can find nothing.
// Such a test runs a program that is built without the detector, uses one goroutine, or repeats in large numbers
// what other tests do under the detector. `make test-all` runs such tests without the detector.
func NotUnderRace(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("it takes long under the race detector; make test-all runs it without")
	}
}

// RunsLong reports whether tests that take more than a few seconds are run.
func RunsLong() bool { return os.Getenv("STACKREEVE_TEST_LONG") != "" }
