package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// quotaTime limits how long the requests to services may take before a plan is shown. A note in the
// plan names values that are still unknown then.
const quotaTime = 20 * time.Second

// preflightOnce is like [Engine.preflight], but uses a result that was found before for a plan with
// the same hash.
func (e *Engine) preflightOnce(ctx context.Context, p plan.Plan, have kind.Snapshot, secrets *redact.Redactor) preflight.Findings {
	if e.Watcher == nil && !p.Stopped() {
		return preflight.Findings{} // nobody reads the findings before the plan is carried out
	}
	hash := p.Hash()
	if said, known := e.past().Preflight(hash, time.Now()); known {
		return said
	}
	found := e.preflight(ctx, p, have, secrets)
	if ctx.Err() == nil {
		e.past().NotePreflight(hash, time.Now(), found)
	}
	return found
}

// preflight compares the amounts that a plan needs with the amounts that the cloud has. It asks
// only the services that the plan needs something from, each at most once for quotas, once for
// zones and once for hosts.
func (e *Engine) preflight(ctx context.Context, p plan.Plan, have kind.Snapshot, secrets *redact.Redactor) preflight.Findings {
	if p.Summary().Writes() == 0 {
		return preflight.Findings{}
	}
	found := preflight.Of(p, e.Kinds, have, e.Prices)
	main, all := preflight.OnlyMainEntry(p)
	if !all {
		found.Notes = found.Notes.And(cause.Of(cause.EntriesUnchecked))
	}
	ctx, cancel := context.WithTimeout(ctx, quotaTime)
	defer cancel()
	demand, asked := preflight.DemandOf(main, e.Kinds, have), preflight.ZonesOf(main, e.Kinds)
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
				held, _ = preflight.Used(e.Kinds, have, read.service)
			}
			found.Compare(demand, read.service, read.allowed, held)
		case !errors.Is(read.err, kind.ErrNoService):
			found.Notes = found.Notes.And(cause.Of(cause.QuotaUnknown, read.service, hide(secrets, read.err).Error()))
		}
	}
	for _, read := range zones {
		switch {
		case read.err == nil:
			found.CompareZones(read.service, asked[read.service], read.zones)
		case !errors.Is(read.err, kind.ErrNoService):
			found.Notes = found.Notes.And(cause.Of(cause.ZonesUnknown, read.service, hide(secrets, read.err).Error()))
		}
	}
	if apart := preflight.SeparationsOf(main, e.Kinds); e.Hosts != nil && len(apart) > 0 {
		hosts, err := e.Hosts(ctx)
		switch {
		case err == nil:
			found.CompareHosts(apart, hosts)
		case !errors.Is(err, kind.ErrForbidden) && !errors.Is(err, kind.ErrNoService): // only administrators may list hosts
			found.Notes = found.Notes.And(cause.Of(cause.HostsUnknown, hide(secrets, err).Error()))
		}
	}
	return found.Redacted(secrets)
}

type allowances struct {
	service string
	allowed kind.Allowances
	err     error
}

// allowances reads the quotas of services, all at the same time.
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

// zones reads the availability zones of services, all at the same time.
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
