package service

import (
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/report"
)

// Frugal has memory collected when half as much as is in use has come on top, where Go waits
// for as much again: collecting takes two hundredths of a pass's time, and an agent often
// shares its machine. GOGC in the environment has precedence.
func Frugal() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// releaser gives the memory that a pass has used back to the machine when it has ended, where Go would keep it for the next
// one, which is minutes away.
type releaser struct {
	free func()
	now  func() time.Time

	mu   sync.Mutex
	next time.Time
}

func newReleaser() *releaser { return &releaser{free: debug.FreeOSMemory, now: time.Now} }

// releaseShare is the part of the time that it may take: the more memory there is in all, the longer it takes, and the more
// stacks may use it at that moment.
const releaseShare = 100

// Ran takes note of the end of a pass.
func (t *releaser) Ran(report.Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	begun := t.now()
	if begun.Before(t.next) {
		return
	}
	t.free()
	ended := t.now()
	t.next = ended.Add(releaseShare * ended.Sub(begun))
}
