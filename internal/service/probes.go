package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// probes asks the services of each project whether something has changed. Stacks with the same entry of clouds.yaml and the same project share the
// requests.
type probes struct {
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
}

const (
	// probeTick is how often is checked whether a probe is due.
	probeTick = 500 * time.Millisecond
	// probeTime is the time limit of a probe.
	probeTime = 30 * time.Second
)

func newProbes() *probes { return &probes{all: map[projectAt]*probed{}} }

// join makes the stack look when a probe of its project notices a change, from its first login on. leave ends that.
func (p *probes) join(cloud string, h *hearing, open func(context.Context) (agent.Cloud, error)) (_ func(context.Context) (agent.Cloud, error), leave func()) {
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
		at := projectAt{cloud, c.Region, c.Project}
		if p.all[at] == nil {
			p.all[at] = &probed{stacks: map[*hearing]bool{}}
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
			for _, one := range p.due(now) {
				running.Go(func() { p.probe(ctx, one) })
			}
		}
	}
}

// due returns the projects to probe now.
func (p *probes) due(now time.Time) (list []*probed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.all {
		if !one.busy && one.pace.Due(now) {
			one.busy = true
			list = append(list, one)
		}
	}
	return list
}

func (p *probes) probe(ctx context.Context, one *probed) {
	p.mu.Lock()
	ask := one.moved
	p.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	moved, err := ask(within)
	var later *kind.RetryAfterError
	errors.As(err, &later)
	p.mu.Lock()
	defer p.mu.Unlock()
	one.busy = false
	switch now := time.Now(); {
	case later != nil:
		one.pace.Failed(now, later.After)
	case err != nil:
		one.pace.Failed(now, 0)
	default:
		one.pace.Answered(now, moved)
	}
	if moved {
		for h := range one.stacks {
			h.sawMove()
		}
	}
}
