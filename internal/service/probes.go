package service

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
)

// probes asks the services of each project whether something has changed. Stacks with the same entry of clouds.yaml and the same project share the
// requests.
type probes struct {
	log   *slog.Logger
	lists func() map[string][]string // the collections that each kind lists
	mu    sync.Mutex
	all   map[projectAt]*probed
}

// projectAt is a project, as an entry of clouds.yaml names it.
type projectAt struct{ cloud, region, project string }

// probed is one project.
type probed struct {
	stacks   map[*hearing]agent.Probe  // of their logins
	by       *hearing                  // the stack whose login is used
	services map[string]*probedService // by catalog type
}

const (
	// probeTick is how often is checked whether a probe is due.
	probeTick = 500 * time.Millisecond
	// probeTime is the time limit of a probe.
	probeTime = 30 * time.Second
)

func newProbes(log *slog.Logger) *probes {
	return &probes{log: log, lists: sync.OnceValue(listsOfKinds), all: map[projectAt]*probed{}}
}

func listsOfKinds() map[string][]string {
	lists := map[string][]string{}
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		lists[k.Info.Kind] = slices.Concat(k.Info.Lists, k.Info.Joins)
	}
	return lists
}

// join makes the stack look when a probe of its project notices a change, from its first login on. leave ends that.
func (p *probes) join(entry string, h *hearing, open func(context.Context) (agent.Cloud, error)) (_ func(context.Context) (agent.Cloud, error), leave func()) {
	return func(ctx context.Context) (agent.Cloud, error) {
		c, err := open(ctx)
		if err == nil && c.Probe != nil {
			p.enter(projectAt{entry, c.Region, c.Project}, h, c.Probe)
		}
		return c, err
	}, func() { p.leave(h) }
}

// enter adds a stack to a project, after its login.
func (p *probes) enter(at projectAt, h *hearing, asks agent.Probe) {
	p.leave(h) // after another login, the stack may belong to another project
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.all[at]
	if one == nil {
		one = newProbed()
		p.all[at] = one
	}
	if one.stacks[h] = asks; one.by == nil {
		one.by = h
	}
}

func newProbed() *probed {
	return &probed{stacks: map[*hearing]agent.Probe{}, services: map[string]*probedService{}}
}

// leave removes a stack. If the project was asked with its login, another login takes over. Changes since the last probes may be missed then, so
// the other stacks look.
func (p *probes) leave(h *hearing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, one := range p.all {
		if one.stacks[h] == nil {
			continue
		}
		if delete(one.stacks, h); len(one.stacks) == 0 {
			delete(p.all, at)
		}
		if one.by != h {
			continue
		}
		one.by = nil
		for other := range one.stacks {
			one.by = other
			other.miss()
		}
	}
}

// matter returns the collections that the stacks of a project list, because they have objects of these kinds.
func (p *probes) matter(one *probed) map[string]bool {
	matter, lists := map[string]bool{}, p.lists()
	for h := range one.stacks {
		for kind := range h.has() {
			for _, name := range lists[kind] {
				matter[name] = true
			}
		}
	}
	return matter
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
			for _, due := range p.due(now) {
				running.Go(func() { p.probe(ctx, due) })
			}
		}
	}
}

// dueProbe is a question that is due.
type dueProbe struct {
	at      projectAt
	project *probed
	service string
	asks    agent.Probe
	matter  map[string]bool
}

// due returns the questions to ask now.
func (p *probes) due(now time.Time) (list []dueProbe) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, one := range p.all {
		var matter map[string]bool
		for _, name := range cloud.ProbedServices() {
			service := one.service(name)
			if service.busy || !service.pace.Due(now) {
				continue
			}
			if matter == nil {
				matter = p.matter(one)
			}
			if asks := one.stacks[one.by]; asks.Asks(name, matter) {
				service.busy = true
				list = append(list, dueProbe{at, one, name, asks, matter})
			} else {
				service.pace.Skipped(now)
			}
		}
	}
	return list
}

func (p *probes) probe(ctx context.Context, due dueProbe) {
	within, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	moved, err := due.asks.Moved(within, due.service, due.matter)
	p.mu.Lock()
	defer p.mu.Unlock()
	service := due.project.service(due.service)
	service.busy = false
	if ctx.Err() != nil {
		return
	}
	service.answered(p.log.With("cloud", due.at.cloud, "region", due.at.region, "project", due.at.project, "service", due.service), len(moved) > 0, err)
	if len(moved) > 0 {
		for h := range due.project.stacks {
			h.sawMove(moved)
		}
	}
}
