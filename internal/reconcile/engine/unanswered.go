package engine

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Unanswered are the creations that the cloud may go on with although nobody waits for them any more: until lists have been asked for what came of them,
// they are not asked for again. It outlives passes, which end when there is news, and engines. Only one engine uses it at a time.
type Unanswered struct {
	until map[string]time.Time // by step identity
}

// note records a creation that failed, if it may yet make something. One that was cut off with its pass may, like one that the cloud did not answer.
func (u *Unanswered) note(s *plan.Step, err error, until time.Time) {
	if s.Action != plan.Create || !errors.Is(err, kind.ErrUnanswered) && !errors.Is(err, context.Canceled) {
		return
	}
	if u.until == nil {
		u.until = map[string]time.Time{}
	}
	u.until[s.Identity()] = until
}

// of is until when the cloud may go on with the creation of a step; zero for none.
func (u *Unanswered) of(id string) time.Time { return u.until[id] }

// forget drops those that were over before everything was listed.
func (u *Unanswered) forget(listed time.Time) {
	maps.DeleteFunc(u.until, func(_ string, until time.Time) bool { return until.Before(listed) })
}

// seen drops what has come of one.
func (u *Unanswered) seen(id string) { delete(u.until, id) }
