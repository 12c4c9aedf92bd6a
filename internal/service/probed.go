package service

import (
	"cmp"
	"errors"
	"log/slog"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// probedService is one service of a project.
type probedService struct {
	by        *hearing // the stack whose login asks; nil for that of the project
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

// answered decides when the service is asked again, and logs when probes begin to fail and when they work again. refused is true if the service does
// not answer the question of this user.
func (s *probedService) answered(log *slog.Logger, now time.Time, a answer) (refused bool) {
	err := a.err
	if unseen := (*cloud.UnseenError)(nil); errors.As(err, &unseen) {
		if text := unseen.Question(); !s.unseen[text] {
			s.unseen[text] = true
			log.Warn("probes do not notice some changes, because the service does not show them to this user; the next drift check does", "changes", text, "error", unseen.Error())
		}
		err, refused = nil, true
	}
	if err == nil {
		if s.pace.Answered(now, a.moved, s.questions); a.untried {
			s.pace = events.ProbePace{}
		}
		if s.failing {
			log.Info("probes notice changes in the service again")
		}
		s.failing = false
		return refused
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
	return false
}

// asker returns the stack whose login asks a service.
func (o *probed) asker(s *probedService) *hearing { return cmp.Or(s.by, o.by) }

// forget makes other stacks ask in place of one that has left.
func (o *probed) forget(h *hearing) {
	if o.by == h {
		o.by = nil
		for other := range o.stacks {
			o.by = other
			break
		}
	}
	for _, s := range o.services {
		if s.by == h {
			s.by = nil
		}
	}
}

// takeOver makes another stack ask a service that fails, with another login if there is one.
func (o *probed) takeOver(s *probedService) {
	by := o.asker(s)
	login := loginOf(o.stacks[by])
	for h, asks := range o.stacks {
		if h == by {
			continue
		}
		if s.by = h; loginOf(asks) != login {
			return
		}
	}
}

// askMore makes the login ask a service that may ask it the most questions.
func (o *probed) askMore(s *probedService, name string, matter map[string]bool) {
	by := o.asker(s)
	if o.stacks[by] == nil {
		return // it has left
	}
	tried := map[string]bool{loginOf(o.stacks[by]): true}
	most, _ := o.stacks[by].Asks(name, matter)
	for h, asks := range o.stacks {
		login := loginOf(asks)
		if tried[login] {
			continue
		}
		tried[login] = true
		if n, _ := asks.Asks(name, matter); n > most {
			most, s.by = n, h
		}
	}
}

// loginOf identifies the login of a probe; "" if it is unknown.
func loginOf(asks agent.Probe) string {
	if asks == nil {
		return ""
	}
	return asks.Login()
}
