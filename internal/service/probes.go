package service

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// probes asks the services of each project whether something has changed. Stacks with the same entry of clouds.yaml and the same project share the
// requests.
type probes struct {
	log *slog.Logger
	mu  sync.Mutex
	all map[projectAt]*probed
}

// projectAt is a project, as an entry of clouds.yaml names it.
type projectAt struct{ cloud, region, project string }

// probed is one project.
type probed struct {
	stacks map[*hearing]bool
	moved  func(context.Context) (bool, error) // of the last login
	pace   events.ProbePace
	busy   bool
	// failing is set after a probe that failed. unseen are the services that the user may not ask. Both are logged once.
	failing bool
	unseen  map[string]bool
}

const (
	// probeTick is how often is checked whether a probe is due.
	probeTick = 500 * time.Millisecond
	// probeTime is the time limit of a probe.
	probeTime = 30 * time.Second
)

func newProbes(log *slog.Logger) *probes {
	return &probes{log: log, all: map[projectAt]*probed{}}
}

// join makes the stack look when a probe of its project notices a change, from its first login on. leave ends that.
func (p *probes) join(entry string, h *hearing, open func(context.Context) (agent.Cloud, error)) (_ func(context.Context) (agent.Cloud, error), leave func()) {
	leave = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for at, one := range p.all {
			if delete(one.stacks, h); len(one.stacks) == 0 {
				delete(p.all, at)
			}
		}
	}
	return func(ctx context.Context) (agent.Cloud, error) {
		c, err := open(ctx)
		if err != nil || c.Moved == nil {
			return c, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		at := projectAt{entry, c.Region, c.Project}
		if p.all[at] == nil {
			p.all[at] = &probed{stacks: map[*hearing]bool{}, unseen: map[string]bool{}}
		}
		p.all[at].stacks[h], p.all[at].moved = true, c.Moved
		return c, nil
	}, leave
}

// serve probes until ctx ends.
func (p *probes) serve(ctx context.Context) {
	tick := time.NewTicker(probeTick)
	defer tick.Stop()
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for at, one := range p.due(now) {
				running.Go(func() { p.probe(ctx, at, one) })
			}
		}
	}
}

// due returns the projects to probe now.
func (p *probes) due(now time.Time) map[projectAt]*probed {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := map[projectAt]*probed{}
	for at, one := range p.all {
		if !one.busy && one.pace.Due(now) {
			one.busy, list[at] = true, one
		}
	}
	return list
}

func (p *probes) probe(ctx context.Context, at projectAt, one *probed) {
	p.mu.Lock()
	ask := one.moved
	p.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	moved, err := ask(within)
	p.mu.Lock()
	defer p.mu.Unlock()
	one.busy = false
	if ctx.Err() != nil {
		return
	}
	log := p.log.With("cloud", at.cloud, "region", at.region, "project", at.project)
	if unseen := (*cloud.UnseenError)(nil); errors.As(err, &unseen) {
		one.tellUnseen(log, unseen)
		err = nil
	}
	one.answered(log, moved, err)
	if moved {
		for h := range one.stacks {
			h.sawMove()
		}
	}
}

// tellUnseen logs which services the user may not ask, once for each service.
func (o *probed) tellUnseen(log *slog.Logger, unseen *cloud.UnseenError) {
	for _, service := range unseen.Services {
		if !o.unseen[service] {
			o.unseen[service] = true
			log.Warn("probes do not notice changes of a service, because the user may not ask it; the next drift check does", "service", service, "error", unseen.Error())
		}
	}
}

// answered decides when the project is probed again, and logs when probes begin to fail and when they work again.
func (o *probed) answered(log *slog.Logger, moved bool, err error) {
	now := time.Now()
	if err == nil {
		if o.pace.Answered(now, moved); o.failing {
			log.Info("probes notice changes of the project again")
		}
		o.failing = false
		return
	}
	after := time.Duration(0)
	if later := (*kind.RetryAfterError)(nil); errors.As(err, &later) {
		after = later.After
	}
	o.pace.Failed(now, after)
	if !o.failing {
		log.Warn("a probe of the project failed; until one is answered, changes are noticed by the next drift check", "error", err.Error())
	}
	o.failing = true
}
