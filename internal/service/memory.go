package service

import (
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/report"
)

// SaveMemory makes garbage collections start when the heap has grown by half. By default, Go waits until the heap has doubled. The collections
// take two percent of the time of a pass, and an agent often shares its machine. GOGC in the environment takes precedence.
func SaveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// releaser returns the memory of a pass to the machine when the pass has ended. Go would keep the memory for the next pass, which may start
// minutes later.
type releaser struct {
	free func()
	now  func() time.Time

	mu   sync.Mutex
	next time.Time
}

func newReleaser() *releaser { return &releaser{free: debug.FreeOSMemory, now: time.Now} }

// releaseShare limits releasing to one hundredth of the time. Releasing takes longer the more memory there is, and many stacks may need the
// memory at that moment.
const releaseShare = 100

// Ran releases memory at the end of a pass, unless that would take too much time.
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
