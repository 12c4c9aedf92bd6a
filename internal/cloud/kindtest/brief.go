package kindtest

import (
	"testing"
	"time"
)

// Brief reports whether the cloud is a real one and -short asks for what proves most in the
// least time. The simulator is always tried with everything.
func (g *Target) Brief() bool { return g.Simulator == nil && testing.Short() }

// NextWrite is the writing request to be struck after the n-th, where each of them is struck in
// turn: the next one, and where tests are brief 1, 2, 4, 7, 11, 17 and so on.
func (g *Target) NextWrite(n int) int {
	if g.Brief() {
		return n + 1 + n/2
	}
	return n + 1
}

// nextWrite is NextWrite for the laws: 1, 5, 17, 53 where other suites send the same requests.
func (s Suite) nextWrite(g *Target, n int) int {
	if g.Brief() && s.Elsewhere != "" {
		return 3*n + 2
	}
	return g.NextWrite(n)
}

// Interval is how long a test waits before it looks again for something that the cloud does by
// itself. A real one spends its time on every request.
func (g *Target) Interval() time.Duration {
	if g.Simulator == nil {
		return 300 * time.Millisecond
	}
	return 5 * time.Millisecond
}
