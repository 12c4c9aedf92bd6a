package kindtest

import (
	"testing"
	"time"
)

// Brief reports whether the cloud is a real one and -short asks for the tests that prove the most
// in the least time. The simulator always runs all tests.
func (g *Target) Brief() bool { return g.Simulator == nil && testing.Short() }

// NextWrite is the writing request after the n-th at which the agent is killed next. It is the
// following one; in brief tests the sequence is 1, 2, 4, 7, 11, 17 and so on.
func (g *Target) NextWrite(n int) int {
	if g.Brief() {
		return n + 1 + n/2
	}
	return n + 1
}

// nextWrite is NextWrite for the laws: 1, 5, 17, 53 if other suites send the same requests.
func (s Suite) nextWrite(g *Target, n int) int {
	if g.Brief() && s.Elsewhere != "" {
		return 3*n + 2
	}
	return g.NextWrite(n)
}

// Interval is how long a test waits before it checks again for something that the cloud does by
// itself. Each request costs a real cloud time.
func (g *Target) Interval() time.Duration {
	if g.Simulator == nil {
		return 300 * time.Millisecond
	}
	return 5 * time.Millisecond
}
