package etcdbackup

import (
	"errors"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// failures has, for each series, the cause of the last failed attempts. Only this process knows them.
type failures struct {
	mu  sync.Mutex
	all map[string]failure
}

func (f *failures) failureOf(owner string) failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all[owner]
}

func (f *failures) note(owner string, err error, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.all, owner)
		return
	}
	if f.all == nil {
		f.all = map[string]failure{}
	}
	f.all[owner] = failure{f.all[owner].times + 1, now, reason(err)}
}

// reason returns the cause of a failure as a text that can be shown.
func reason(err error) string {
	said := err.Error()
	var unquoted kind.Unquoted
	if errors.As(err, &unquoted) {
		said = unquoted.Unquoted()
	}
	return printable.Clip(printable.Line(said), 300)
}
