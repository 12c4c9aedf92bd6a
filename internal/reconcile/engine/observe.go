package engine

import (
	"context"
	"errors"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// observe lists places for want, as asked says and more completely where want needs that. Kinds that are hosted on others (on machines, for example) are
// listed last, with the lists of their hosts. The hosts that are not listed now come from have.
func (e *Engine) observe(ctx context.Context, places []memory.Place, want []kind.Desired, have kind.Snapshot, asked kind.Listing) map[memory.Place]kind.Shown {
	isInside := func(at memory.Place) bool { return len(e.kind(at.Kind).Info.HostedOn) > 0 }
	outside, inside := make([]memory.Place, 0, len(places)), []memory.Place(nil)
	for _, at := range places {
		if isInside(at) {
			inside = append(inside, at)
		} else {
			outside = append(outside, at)
		}
	}
	all := e.listAll(ctx, outside, want, asked)
	if len(inside) == 0 {
		return all
	}
	around := maps.Clone(have)
	if around == nil {
		around = kind.Snapshot{}
	}
	maps.Copy(around, e.snapshot(all, have, want))
	for _, at := range inside {
		asked.Hosts = kind.Hosts{Stack: e.Stack, Want: wantedAt(at, want), Have: around, Data: dataIn(want)}
		maps.Copy(all, e.listAll(ctx, []memory.Place{at}, want, asked))
	}
	return all
}

// dataIn returns a function that finds the content of ConfigMaps and Secrets.
func dataIn(want []kind.Desired) func(manifest.Key) map[string]string {
	return func(key manifest.Key) map[string]string {
		for i := range want {
			if want[i].Key == key {
				return want[i].Data
			}
		}
		return nil
	}
}

func wantedAt(at memory.Place, want []kind.Desired) (list []kind.Desired) {
	for i := range want {
		if (memory.Place{Kind: want[i].Key.Kind, Entry: want[i].Entry}) == at {
			list = append(list, want[i])
		}
	}
	return list
}

// listAll lists places at the same time. Lists through one entry share what they read (see [kind.Moment]), so it is requested once.
func (e *Engine) listAll(ctx context.Context, places []memory.Place, want []kind.Desired, asked kind.Listing) map[memory.Place]kind.Shown {
	managed, complete := e.managing(want), e.adopting(want)
	moments, rare := map[string]*kind.Moment{}, map[string]bool{}
	for _, entry := range e.entryNames() {
		moments[entry] = &kind.Moment{}
	}
	for _, k := range e.Kinds {
		rare[k.Info.Kind] = rareKind(k.Info)
	}
	all := make(map[memory.Place]kind.Shown, len(places))
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for _, at := range places {
		group.Go(func() error {
			of := asked
			of.Everything, of.Managed, of.Moment = asked.Everything || complete[at], managed[at], moments[at.Entry]
			shown := e.list(ctx, at, of)
			usual := errors.Is(shown.Err, kind.ErrNoService) || shown.Closed || (rare[at.Kind] || at.Entry != "") && errors.Is(shown.Err, kind.ErrForbidden)
			if shown.Err != nil && ctx.Err() == nil && !usual {
				e.log().Warn("cannot be listed", append([]any{"kind", at.Kind, "error", shown.Err}, attr(at)...)...) // the plan shows only what may be published
			}
			shown.Err = hide(redact.From(ctx), shown.Err)
			mu.Lock()
			defer mu.Unlock()
			all[at] = shown
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	return all
}
