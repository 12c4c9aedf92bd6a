package service

import (
	"errors"
	"log/slog"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// probedService is one service of a project.
type probedService struct {
	pace      events.ProbePace
	busy      bool
	questions int // the number of different questions
	// failing is set after a probe that failed. unseen are the changes that the service does not show. Both are logged once.
	failing bool
	unseen  map[string]bool
}

// service returns a service of the project.
func (o *probed) service(name string) *probedService {
	if o.services[name] == nil {
		o.services[name] = &probedService{unseen: map[string]bool{}}
	}
	return o.services[name]
}

// answer says how a question was answered.
type answer struct {
	err   error
	moved bool
	// untried is true if another question was never asked.
	untried bool
}

// answered decides when the service is asked again, and logs when probes begin to fail and when they work again.
func (s *probedService) answered(log *slog.Logger, now time.Time, a answer) {
	err := a.err
	if unseen := (*cloud.UnseenError)(nil); errors.As(err, &unseen) {
		if text := unseen.Question(); !s.unseen[text] {
			s.unseen[text] = true
			log.Warn("probes do not notice some changes, because the service does not show them to this user; the next drift check does", "changes", text, "error", unseen.Error())
		}
		err = nil
	}
	if err == nil {
		if s.pace.Answered(now, a.moved, s.questions); a.untried {
			s.pace = events.ProbePace{}
		}
		if s.failing {
			log.Info("probes notice changes in the service again")
		}
		s.failing = false
		return
	}
	after := time.Duration(0)
	if later := (*kind.RetryAfterError)(nil); errors.As(err, &later) {
		after = later.After
	}
	s.pace.Failed(now, after)
	if !s.failing {
		log.Warn("a probe of the service failed; until one is answered, changes are noticed by the next drift check", "error", err.Error())
	}
	s.failing = true
}
