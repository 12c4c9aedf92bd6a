package report

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// StateDuring returns the state of a stack during a pass that changes something. If a group is being changed, it counts the members that are up to
// date. Otherwise, it counts the finished steps.
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
	if left := RemainingTime(p, now); left > 0 {
		message += ", about " + left.String() + " left"
	}
	return StackState{state, message}
}

// RemainingTime returns the remaining time of a pass, on the assumption that each step takes as long as the earlier ones. It returns 0 if that is unknown.
func RemainingTime(p engine.Progress, now time.Time) time.Duration {
	if p.Done <= 0 || p.Done >= p.Total || p.Began.IsZero() {
		return 0
	}
	left := now.Sub(p.Began) / time.Duration(p.Done) * time.Duration(p.Total-p.Done)
	if left < time.Minute {
		return left.Round(time.Second)
	}
	return left.Round(time.Minute)
}
