package agent

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// lookTime is the time limit of a look, from its turn on. If it is over, a pass follows.
const lookTime = 10 * time.Second

// LastLook is the last look at the cloud.
type LastLook struct {
	At     time.Time     `json:"at"`
	Result engine.Looked `json:"result"`
}

// needsNoPass looks at what has changed in the cloud, in the stack's turn. It takes the changes then, so one look is enough for those that have
// arrived during the wait. It reports whether the change does not concern the stack.
func (s *Loop) needsNoPass(ctx context.Context) bool {
	moved, pending := s.Signals.takeMoved()
	if !pending {
		return true
	}
	result := engine.LookedUnknown
	if s.cloud != nil && s.cloud.Look != nil && len(moved.Collections) > 0 {
		result = s.look(ctx, moved)
	}
	s.control.mu.Lock()
	s.control.lastLook = &LastLook{time.Now(), result}
	s.control.mu.Unlock()
	if s.Looked != nil {
		s.Looked(moved, result)
	}
	return result == engine.LookedSame
}

func (s *Loop) look(ctx context.Context, moved engine.Moved) engine.Looked {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return s.cloud.Look(ctx, moved)
}
