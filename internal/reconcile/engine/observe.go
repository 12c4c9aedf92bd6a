package engine

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/redact"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// Observe lists every collection, in parallel. The snapshot lacks collections that the cloud refuses to list and in which no object of the
// stack is expected (see [Engine.leavesOut]). Observe never fails as a whole: any other collection that could not be listed is unknown in the
// snapshot.
func (e *Engine) Observe(ctx context.Context, want []kind.Desired) kind.Snapshot {
	return e.observeForPlan(ctx, Revision{Want: want})
}

func (e *Engine) observeForPlan(ctx context.Context, rev Revision) kind.Snapshot {
	asked := namedPlaces(rev.Want)
	shown := e.observe(ctx, e.placesToList(asked, func(kind.Info, memory.Place) bool { return false }), rev.Want, nil, request{})
	e.excuse(ctx, shown, asked, rev.EarlierKinds)
	return e.snapshot(shown, nil, rev.Want)
}

// observeForPass is like [Engine.Observe], but for a pass. It also leaves out places that are idle, see [Engine.idle]. skipped are those of them that
// have to be listed before the pass changes anything: their objects may use what the pass changes, or may be in its way.
func (e *Engine) observeForPass(ctx context.Context, rev Revision) (have kind.Snapshot, skipped []memory.Place) {
	now, asked := time.Now(), namedPlaces(e.past().WithFallbacks(rev.Want))
	used := e.usedServices(asked)
	places := e.placesToList(asked, func(of kind.Info, at memory.Place) bool {
		idle := e.idle(of, at, used, now)
		if idle && !rarelyListed(of, at) {
			skipped = append(skipped, at)
		}
		return idle
	})
	if len(places) == 0 { // a pass over an empty repository must notice a cloud that does not answer
		places, skipped = skipped, nil
	}
	return e.observePlaces(ctx, rev, places, nil), skipped
}

// observePlaces adds the lists of places to a snapshot, and stores their results in the memory.
func (e *Engine) observePlaces(ctx context.Context, rev Revision, places []memory.Place, before kind.Snapshot) kind.Snapshot {
	now, wanted := time.Now(), e.past().WithFallbacks(rev.Want)
	shown, managed := e.observe(ctx, places, rev.Want, before, request{}), managedOf(wanted)
	maps.Copy(managed, e.excuse(ctx, shown, namedPlaces(wanted), rev.EarlierKinds))
	if before == nil {
		e.addRefused(shown)
	}
	snapshot := e.snapshot(shown, before, rev.Want)
	e.noteFindings(shown, snapshot, managed, places, now)
	return snapshot
}

// namedPlaces returns the places of the objects that manifests describe or import.
func namedPlaces(want []kind.Desired) map[memory.Place]bool {
	asked := map[memory.Place]bool{}
	for i := range want {
		if d := &want[i]; !d.Absent() {
			asked[memory.Place{Kind: d.Key.Kind, Entry: d.Entry}] = true
		}
	}
	return asked
}

// placesToList returns the places in asked, and all other places that are not idle.
func (e *Engine) placesToList(asked map[memory.Place]bool, idle func(kind.Info, memory.Place) bool) (places []memory.Place) {
	for _, entry := range e.entryNames() {
		for _, k := range e.Kinds {
			of := k.Info
			if at := (memory.Place{Kind: of.Kind, Entry: entry}); k.Driver != nil && (asked[at] || !idle(of, at)) {
				places = append(places, at)
			}
		}
	}
	return places
}

// Survey lists every collection completely, by the main entry.
func (e *Engine) Survey(ctx context.Context) kind.Snapshot {
	var places []memory.Place
	for _, k := range e.Kinds {
		if k.Driver != nil {
			places = append(places, memory.Place{Kind: k.Info.Kind})
		}
	}
	return e.snapshot(e.observe(ctx, places, nil, nil, request{everything: true}), nil, nil)
}

// list lists one place.
func (e *Engine) list(ctx context.Context, at memory.Place, asked kind.Listing) kind.Shown {
	shown := kind.Shown{Entry: at.Entry}
	access, open := e.access(at.Entry)
	if !open {
		shown.Closed, shown.Err = true, e.loginError(at.Entry)
		return shown
	}
	k := kindNamed(access.Kinds, at.Kind)
	if access.Realm != nil {
		shown.Realm = access.Realm(k.Info)
	}
	end := trace.Begin(ctx, "list "+at.Kind, map[string]string{"stackreeve.kind": at.Kind, "stackreeve.entry": at.Entry})
	shown.Index, shown.Err = k.Driver.List(ctx, asked)
	shown.Items = shown.Index.Items()
	end(shown.Err != nil && !errors.Is(shown.Err, kind.ErrStillPending))
	return shown
}

// request says how completely places are listed, besides what follows from the manifests.
type request struct {
	everything bool
	// hosts is set for places whose objects run inside machines.
	hosts kind.Hosts
	// waiting has the objects that are awaited in each place, if that is the only purpose of its list.
	waiting map[memory.Place]kind.Waiting
}

// observe lists places. The argument asked says how completely; places where want has managed or adopted objects are listed more completely. Kinds that
// are hosted on others (on machines, for example) are listed last, with the lists of their hosts. have has the lists of hosts that are not
// listed now.
func (e *Engine) observe(ctx context.Context, places []memory.Place, want []kind.Desired, have kind.Snapshot, asked request) map[memory.Place]kind.Shown {
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
		asked.hosts = kind.Hosts{Stack: e.Stack, Want: wantedAt(at, want), Have: around, Data: dataIn(want)}
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

// listAll lists places at the same time. The result lacks the places in which the cloud still works on everything that is awaited. Lists through one
// entry share the results of requests (see [kind.SharedResults]), so that each request is sent once.
func (e *Engine) listAll(ctx context.Context, places []memory.Place, want []kind.Desired, asked request) map[memory.Place]kind.Shown {
	managed, complete, joined := e.managing(want), e.adopting(want), e.joining(want)
	moments, rare := map[string]*kind.SharedResults{}, map[string]bool{}
	for _, entry := range e.entryNames() {
		moments[entry] = &kind.SharedResults{Lists: e.collectionsAt(entry, places)}
	}
	for _, k := range e.Kinds {
		rare[k.Info.Kind] = k.Info.Seldom()
	}
	all := make(map[memory.Place]kind.Shown, len(places))
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for _, at := range places {
		group.Go(func() error {
			shown := e.list(ctx, at, kind.Listing{Everything: asked.everything || complete[at], Managed: managed[at], Joined: joined[at], Shared: moments[at.Entry],
				Hosts: asked.hosts, Waiting: asked.waiting[at]})
			if errors.Is(shown.Err, kind.ErrStillPending) {
				return nil
			}
			usual := errors.Is(shown.Err, kind.ErrNoService) || shown.Closed || (rare[at.Kind] || at.Entry != "") && errors.Is(shown.Err, kind.ErrForbidden)
			if shown.Err != nil && ctx.Err() == nil && !usual {
				// The log has the complete error. The plan has only its redacted text.
				e.log().Warn("cannot be listed", append([]any{"kind", at.Kind, "error", shown.Err}, entryAttr(at)...)...)
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
