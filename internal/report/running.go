package report

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// StateDuring is the state of a stack while a pass has something to do. It counts the members of groups that are up to date if a group is
// being changed, and the finished steps otherwise.
func StateDuring(p engine.Progress, now time.Time) StackState {
	state := fmt.Sprintf("%s %d/%d", StateApplying, p.Done, p.Total)
	if len(p.Rollouts) > 0 {
		done, of := 0, 0
		for _, r := range p.Rollouts {
			done, of = done+r.Done, of+r.Of
		}
		state = fmt.Sprintf("%s %d/%d", StateRollingOut, done, of)
	}
	message := fmt.Sprintf("%d of %d done", p.Done, p.Total)
	if left := Left(p, now); left > 0 {
		message += ", about " + left.String() + " left"
	}
	return StackState{state, message}
}

// Left is how much longer a pass will take if each of its steps takes as long as those before. It is 0 when that is unknown.
func Left(p engine.Progress, now time.Time) time.Duration {
	if p.Done <= 0 || p.Done >= p.Total || p.Began.IsZero() {
		return 0
	}
	left := now.Sub(p.Began) / time.Duration(p.Done) * time.Duration(p.Total-p.Done)
	if left < time.Minute {
		return left.Round(time.Second)
	}
	return left.Round(time.Minute)
}
