package branch

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// traces are who changed what, known once done is closed.
type traces struct {
	about string
	done  chan struct{}
	found map[manifest.Key]kind.Trace
}

const (
	// mostTraced bounds what is asked about who changed objects.
	mostTraced = 20
	traceTime  = 20 * time.Second
)

// wait returns what was found; nil when nothing was asked.
func (t *traces) wait(ctx context.Context) (map[manifest.Key]kind.Trace, error) {
	if t == nil {
		return nil, nil
	}
	select {
	case <-t.done:
		return t.found, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// alike is the same for the same differences.
func alike(steps []plan.Step) string {
	h := fnv.New64a()
	for _, step := range steps {
		fmt.Fprintln(h, step.Key, step.Action, step.Changes)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// traceAll asks the cloud who changed the objects of steps.
func (s *Tracker) traceAll(steps []plan.Step, to *traces) {
	ctx, cancel := context.WithTimeout(context.Background(), traceTime)
	defer cancel()
	defer close(to.done)
	to.found = map[manifest.Key]kind.Trace{}
	for _, step := range steps[:min(len(steps), mostTraced)] {
		if t, ok := s.trace(ctx, step); ok {
			to.found[step.Key] = t
		}
	}
}
