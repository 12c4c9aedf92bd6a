package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// quotaTime bounds what is asked of services before a plan is shown. What is not known
// by then is only said.
const quotaTime = 20 * time.Second

// preflightOnce is [Engine.preflight] for passes.
func (e *Engine) preflightOnce(ctx context.Context, p plan.Plan, have kind.Snapshot, secrets *redact.Redactor) plan.Plan {
	if e.Watcher == nil && !p.Stopped() {
		return p // nobody reads it before it is carried out
	}
	hash := p.Hash()
	if said, known := e.past().Preflight(hash, time.Now()); known {
		p.Preflight = said
		return p
	}
	p = e.preflight(ctx, p, have, secrets)
	if ctx.Err() == nil {
		e.past().NotePreflight(hash, time.Now(), p.Preflight)
	}
	return p
}

// preflight adds to a plan what it needs of the cloud and whether there is as much. A
// service is asked once, and only when the plan takes something of it.
func (e *Engine) preflight(ctx context.Context, p plan.Plan, have kind.Snapshot, secrets *redact.Redactor) plan.Plan {
	if p.Summary().Writes() == 0 {
		return p
	}
	p.Preflight.Cost = e.Prices.Cost(p.Demand(e.Kinds, have))
	main, all := p.ThroughMain()
	demand := main.Demand(e.Kinds, have)
	if !all {
		p.Preflight.Notes = append(p.Preflight.Notes, "what is made through further entries of clouds.yaml is not compared with their quotas and zones")
	}
	for _, d := range p.Doubts(e.Kinds) {
		p.Preflight.Warnings = append(p.Preflight.Warnings, d.String())
	}
	for _, s := range p.Scarce(e.Kinds, have) {
		p.Preflight.Warnings = append(p.Preflight.Warnings, s.Key.String()+" "+s.What())
	}
	ctx, cancel := context.WithTimeout(ctx, quotaTime)
	defer cancel()
	asked := main.Zones(e.Kinds)
	var zones []zonesOf
	var reading sync.WaitGroup
	reading.Go(func() { zones = e.zones(ctx, slices.Sorted(maps.Keys(asked))) })
	quotas := e.allowances(ctx, slices.Sorted(maps.Keys(demand.Services())))
	reading.Wait()
	for _, read := range quotas {
		switch {
		case read.err == nil:
			var held kind.Amounts
			if slices.ContainsFunc(slices.Collect(maps.Values(read.allowed)), func(a kind.Allowance) bool { return a.Used < 0 && a.Limit >= 0 }) {
				held, _ = plan.Held(e.Kinds, have, read.service)
			}
			p.Preflight.Compare(demand, read.service, read.allowed, held)
		case !errors.Is(read.err, kind.ErrNoService):
			p.Preflight.Notes = append(p.Preflight.Notes, fmt.Sprintf("how much of the %s quota is free is not known: %v", read.service, hide(secrets, read.err)))
		}
	}
	for _, read := range zones {
		switch {
		case read.err == nil:
			p.Preflight.CompareZones(read.service, asked[read.service], read.zones)
		case !errors.Is(read.err, kind.ErrNoService):
			p.Preflight.Notes = append(p.Preflight.Notes, fmt.Sprintf("which availability zones the %s service has is not known: %v", read.service, hide(secrets, read.err)))
		}
	}
	if apart := main.Apart(e.Kinds); e.Hosts != nil && len(apart) > 0 {
		hosts, err := e.Hosts(ctx)
		switch {
		case err == nil:
			p.Preflight.CompareHosts(apart, hosts)
		case !errors.Is(err, kind.ErrForbidden) && !errors.Is(err, kind.ErrNoService): // administrators alone may ask
			p.Preflight.Notes = append(p.Preflight.Notes, fmt.Sprintf("how many hosts there are is not known: %v", hide(secrets, err)))
		}
	}
	p.Preflight = p.Preflight.Redacted(secrets)
	return p
}

type allowances struct {
	service string
	allowed kind.Allowances
	err     error
}

// allowances asks services for their quotas, all at the same time.
func (e *Engine) allowances(ctx context.Context, services []string) []allowances {
	if e.Quotas == nil {
		return nil
	}
	list := make([]allowances, len(services))
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for i, service := range services {
		group.Go(func() error {
			allowed, err := e.Quotas(ctx, service)
			list[i] = allowances{service, allowed, err}
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	return list
}

type zonesOf struct {
	service string
	zones   []string
	err     error
}

// zones asks services for their availability zones, all at the same time.
func (e *Engine) zones(ctx context.Context, services []string) []zonesOf {
	if e.Zones == nil {
		return nil
	}
	list := make([]zonesOf, len(services))
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for i, service := range services {
		group.Go(func() error {
			zones, err := e.Zones(ctx, service)
			list[i] = zonesOf{service, zones, err}
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	return list
}
