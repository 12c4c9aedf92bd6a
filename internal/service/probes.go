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
	now   func() time.Time
	lists func() map[string][]string // the collections that each kind lists
	mu    sync.Mutex
	all   map[projectAt]*probed
}

// projectAt is a project, as an entry of clouds.yaml names it.
type projectAt struct{ cloud, region, project string }

// probed is one project.
type probed struct {
	stacks   map[*hearing]agent.Probe  // the probe of each stack's login
	by       *hearing                  // the stack whose login is used for services that have no other
	services map[string]*probedService // by catalog type
}

const (
	// probeTick is how often the agent checks whether a probe is due.
	probeTick = 500 * time.Millisecond
	// probeTime is the time limit of a probe.
	probeTime = 30 * time.Second
	// maxDue is the number of questions that are asked at a probeTick. So an agent asks 20 questions a second at most. Where that does not suffice
	// for all projects, each of them is asked less often.
	maxDue = 10
)

func newProbes(log *slog.Logger) *probes {
	return &probes{log: log, now: time.Now, lists: sync.OnceValue(listsOfKinds), all: map[projectAt]*probed{}}
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

// enter adds a stack to a project, after its login. All logins of a project share the answers, so no change is missed if another one takes over.
func (p *probes) enter(at projectAt, h *hearing, asks agent.Probe) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaveExcept(at, h) // after another login, the stack may belong to another project
	one := p.all[at]
	if one == nil {
		one = newProbed()
		p.all[at] = one
	}
	if one.by == nil {
		one.by = h
	} else {
		asks = continued(asks, one.stacks[one.by])
	}
	one.stacks[h] = asks
}

// continued returns a probe that compares with the answers to the one before it.
func continued(asks, before agent.Probe) agent.Probe {
	now, ok := asks.(*cloud.Probe)
	then, same := before.(*cloud.Probe)
	if !ok || !same {
		return asks
	}
	return now.Continue(then)
}

func newProbed() *probed {
	return &probed{stacks: map[*hearing]agent.Probe{}, services: map[string]*probedService{}}
}

// leave removes a stack. If the project was asked with its login, another login takes over.
func (p *probes) leave(h *hearing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaveExcept(projectAt{}, h)
}

// leaveExcept removes a stack from all projects but one. The caller holds the lock.
func (p *probes) leaveExcept(but projectAt, h *hearing) {
	for at, one := range p.all {
		if at == but || one.stacks[h] == nil {
			continue
		}
		delete(one.stacks, h)
		one.forget(h)
		if len(one.stacks) == 0 {
			delete(p.all, at)
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
		case <-tick.C:
			for _, due := range p.due(p.now()) {
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

// due returns the questions to ask now: those that have been due for the longest time.
func (p *probes) due(now time.Time) (list []dueProbe) {
	p.mu.Lock()
	defer p.mu.Unlock()
	matter := map[*probed]map[string]bool{}
	for _, w := range p.waiting(now) {
		if len(list) == maxDue {
			break
		}
		if matter[w.project] == nil {
			matter[w.project] = p.matter(w.project)
		}
		one := dueProbe{w.at, w.project, w.name, w.project.stacks[w.project.asker(w.service)], matter[w.project]}
		if w.service.questions, _ = one.asks.Asks(one.service, one.matter); w.service.questions == 0 {
			w.service.pace.Skipped(now)
			continue
		}
		w.service.busy = true
		list = append(list, one)
	}
	return list
}

// waitingService is a service of a project that may be asked.
type waitingService struct {
	at      projectAt
	project *probed
	name    string // the catalog type
	service *probedService
}

// waiting returns the services of all projects that may be asked, the one that has waited for the longest time first. The caller holds the lock.
func (p *probes) waiting(now time.Time) (list []waitingService) {
	names := cloud.ProbedServices()
	for at, one := range p.all {
		for _, name := range names {
			if service := one.service(name); !service.busy && service.pace.Due(now) {
				list = append(list, waitingService{at, one, name, service})
			}
		}
	}
	slices.SortFunc(list, func(a, b waitingService) int { return a.service.pace.Next().Compare(b.service.pace.Next()) })
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
	_, untried := due.asks.Asks(due.service, due.matter)
	refused := service.answered(p.log.With("cloud", due.at.cloud, "region", due.at.region, "project", due.at.project, "service", due.service), p.now(), answer{err, len(moved) > 0, untried})
	switch {
	case service.failing:
		due.project.takeOver(service)
	case refused:
		due.project.askMore(service, due.service, due.matter)
	}
	p.pass(due.project, moved)
}

// pass makes the stacks look that list one of the collections. They look since the same time, so they can share the lists. The caller holds the lock.
func (p *probes) pass(one *probed, moved []string) {
	if len(moved) == 0 {
		return
	}
	now, lists := time.Now(), p.lists()
	for h := range one.stacks {
		if seen := listedBy(h.has(), lists, moved); len(seen) > 0 {
			h.sawMove(seen, now)
		}
	}
}

// listedBy returns those of the collections that the kinds list. If the kinds are not known yet, it returns all.
func listedBy(kinds map[string]bool, lists map[string][]string, collections []string) (list []string) {
	if kinds == nil {
		return collections
	}
	for _, name := range collections {
		for kind := range kinds {
			if slices.Contains(lists[kind], name) {
				list = append(list, name)
				break
			}
		}
	}
	return list
}
