package kindtest

import (
	"testing"
	"time"
)

// Brief reports whether the cloud is a real one and -short is set. Then only those tests run that
// prove the most in the least time. On the simulator, all tests always run.
func (g *Target) Brief() bool { return g.Simulator == nil && testing.Short() }

// NextWrite returns the number of the writing request at which the agent is killed next, after it
// was killed at the n-th. It is the next number; in brief tests the sequence is 1, 2, 4, 7, 11, 17
// and so on.
func (g *Target) NextWrite(n int) int {
	if g.Brief() {
		return n + 1 + n/2
	}
	return n + 1
}

// nextWrite returns the same number for the laws. In brief tests the sequence is 1, 5, 17, 53 if
// other suites send the same requests.
func (s Suite) nextWrite(g *Target, n int) int {
	if g.Brief() && s.Elsewhere != "" {
		return 3*n + 2
	}
	return g.NextWrite(n)
}

// Interval is how long a test waits before it checks again whether the cloud has done something. A
// real cloud needs time for each request.
func (g *Target) Interval() time.Duration {
	if g.Simulator == nil {
		return 300 * time.Millisecond
	}
	return 5 * time.Millisecond
}
