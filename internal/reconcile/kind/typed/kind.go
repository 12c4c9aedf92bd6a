// Package typed makes kinds from functions over specs, filters and states that have types of their own. The types are
// erased only here, where a [kind.Kind] is built. The core imports only package kind.
//
// [Kind] makes kinds with objects in the cloud, [Workload] makes kinds whose objects only expand into others, [Data] makes
// kinds that only contain text.
package typed

import (
	"context"
	"reflect"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Want is a [kind.Want] with the type of its spec.
type Want[Spec any] struct {
	kind.Want
	Spec *Spec
}

// Live is a [kind.Live] with the type of its state.
type Live[State any] struct {
	kind.Live
	State *State // nil for an object that is gone
}

// Kind is a kind with objects in the cloud. If it has no driver, List and Shared are nil. Each function may be nil. If List
// or Shared is set, Create, Update and Delete must be set, too. If Name is nil, an object is named like its manifest. See
// [kind.Kind] and [kind.Driver].
type Kind[Spec, Filter, State any] struct {
	Info  kind.Info
	Cures []kind.Way

	// Validate checks rules that struct tags cannot express.
	Validate func(spec *Spec, r *kind.Report)
	// Lasts reports whether an object stays in the cloud after its manifest is removed, unless an annotation says
	// otherwise.
	Lasts           func(spec *Spec) bool
	Expand          func(spec *Spec, e *kind.Expansion)
	Name            func(w Want[Spec]) string
	Stated          func(spec *Spec) kind.Facts
	Project         func(w Want[Spec]) kind.Ref
	Zone            func(spec *Spec) string
	Joins           func(spec *Spec) []string
	PerHost         func(spec *Spec) (n int, hard bool)
	PerHostOf       func(have *State) (n int, hard bool)
	QuotaNeeded     func(spec *Spec, of kind.FactsOf) kind.Amounts
	QuotaUsed       func(have *State, of kind.FactsOf) kind.Amounts
	Impossible      func(w Want[Spec]) string
	LikelyRefusal   func(w Want[Spec]) string
	ExclusiveClaims func(w Want[Spec]) []kind.Claim
	Diff            func(w Want[Spec], have *State, c *kind.Changes)
	Match           func(w Want[Filter], have *State) bool
	Status          func(have *State) any
	StatusID        func(id string) string
	Export          func(have *State, e *kind.Export) *Spec
	Upkeep          func(w Want[Spec], have *State, now time.Time) kind.Upkeep

	List func(ctx context.Context, asked kind.Listing) ([]Live[State], error)
	// Shared replaces List for kinds whose lists several stacks can share.
	Shared func(ctx context.Context, asked kind.Listing) (*kind.Index, error)
	Create func(ctx context.Context, w Want[Spec]) (Live[State], error)
	Update func(ctx context.Context, w Want[Spec], have Live[State], changes []kind.Change) error
	Delete func(ctx context.Context, have Live[State]) (gone bool, err error)
	Unmark func(ctx context.Context, have Live[State]) error
	Trace  func(ctx context.Context, have Live[State], changes []kind.Change) (t kind.Trace, ok bool, err error)
}

// Resource returns a kind in K-ORC's vocabulary: its spec is the field spec.resource of an [Envelope].
func (k Kind[S, F, T]) Resource() *kind.Kind {
	return k.untyped("spec.resource", manifest.TypeFor[resourceBody[S, F]](), readEnvelope[S, F])
}

// Flat returns a kind whose spec is the field spec itself. Its objects cannot be imported.
func (k Kind[S, F, T]) Flat() *kind.Kind {
	return k.untyped("spec", manifest.TypeFor[flatBody[S]](), readFlat[S])
}

func (k *Kind[S, F, T]) untyped(path string, body manifest.Type, read func(*manifest.Object, *kind.Desired) (*S, []manifest.Problem)) *kind.Kind {
	e := &kind.Kind{
		Info: k.Info, Body: body, SpecPath: path, Cures: k.Cures, StatusID: k.StatusID,
		Decode: func(obj *manifest.Object) (kind.Desired, []manifest.Problem) { return k.decode(obj, read) },
		Name:   manifestName,
		Stated: ofSpec(k.Stated), Project: ofWant(k.Project), Impossible: ofWant(k.Impossible), LikelyRefusal: ofWant(k.LikelyRefusal), ExclusiveClaims: ofWant(k.ExclusiveClaims),
		Diff: func(w kind.Want, have any) (c kind.Changes) {
			if k.Diff != nil {
				k.Diff(wantOf[S](w), have.(*T), &c)
			}
			setCuts(c.List(), reflect.TypeFor[S](), path)
			return c
		},
		Match:  func(w kind.Want, have any) bool { return k.Match != nil && k.Match(wantOf[F](w), have.(*T)) },
		Status: func(have any) any { return nil },
	}
	if k.Name != nil {
		e.Name = func(w kind.Want) string { return k.Name(wantOf[S](w)) }
	}
	if k.Status != nil {
		e.Status = func(have any) any { return k.Status(have.(*T)) }
	}
	k.setNeeds(e)
	k.setDescribers(e)
	if k.Expand != nil {
		e.Expand = func(d *kind.Desired, x *kind.Expansion) {
			if spec, _ := d.Spec.(*S); spec != nil {
				k.Expand(spec, x)
			}
		}
	}
	if k.List != nil || k.Shared != nil {
		e.Driver = k.driver()
	}
	return e
}

func (k *Kind[S, F, T]) decode(obj *manifest.Object, read func(*manifest.Object, *kind.Desired) (*S, []manifest.Problem)) (kind.Desired, []manifest.Problem) {
	d := kind.NewDesired(obj)
	spec, problems := read(obj, &d)
	if spec == nil || len(problems) > 0 {
		return d, problems
	}
	var r kind.Report
	if k.Validate != nil {
		k.Validate(spec, &r)
	}
	d.Spec, d.Notes, d.Lasts = spec, r.Notes(), k.Lasts != nil && k.Lasts(spec)
	return d, r.Problems(obj)
}

// setNeeds sets in e the functions that say what the kind's objects need from the cloud.
func (k *Kind[S, F, T]) setNeeds(e *kind.Kind) {
	if zone := ofSpec(k.Zone); zone != nil {
		e.Zone = func(w kind.Want) string { return zone(w.Spec) }
	}
	e.Joins = ofSpec(k.Joins)
	if k.PerHost != nil {
		e.PerHost = func(w kind.Want) (n int, hard bool) {
			if spec, _ := w.Spec.(*S); spec != nil {
				n, hard = k.PerHost(spec)
			}
			return n, hard
		}
	}
	if k.PerHostOf != nil {
		e.PerHostOf = func(have any) (n int, hard bool) {
			if state, _ := have.(*T); state != nil {
				n, hard = k.PerHostOf(state)
			}
			return n, hard
		}
	}
	if k.QuotaNeeded != nil {
		e.QuotaNeeded = func(w kind.Want) (takes kind.Amounts) {
			if spec, _ := w.Spec.(*S); spec != nil {
				takes = k.QuotaNeeded(spec, func(of, ref string) kind.Facts { return w.Ref(of, ref).Facts })
			}
			return takes
		}
	}
	if k.QuotaUsed != nil {
		e.QuotaUsed = func(have any, of kind.FactsOf) (holds kind.Amounts) {
			if state, _ := have.(*T); state != nil {
				holds = k.QuotaUsed(state, of)
			}
			return holds
		}
	}
}

// setDescribers sets in e the optional functions that describe an object in the cloud.
func (k *Kind[S, F, T]) setDescribers(e *kind.Kind) {
	if k.Export != nil {
		e.Export = func(have any, x *kind.Export) any { return k.Export(have.(*T), x) }
	}
	if k.Upkeep != nil {
		e.Upkeep = func(w kind.Want, have any, now time.Time) (u kind.Upkeep) {
			if state, _ := have.(*T); state != nil {
				u = k.Upkeep(wantOf[S](w), state, now)
			}
			return u
		}
	}
}

func (k *Kind[S, F, T]) driver() *kind.Driver {
	d := &kind.Driver{
		List: func(ctx context.Context, asked kind.Listing) (*kind.Index, error) {
			if k.Shared != nil {
				return k.Shared(ctx, asked)
			}
			items, err := k.List(ctx, asked)
			out := make([]*kind.Live, len(items))
			for i := range items {
				live := items[i].untyped() // an object of its own, since the record of a pass keeps single objects of a list
				out[i] = &live
			}
			return kind.IndexOf(out), err
		},
		Create: func(ctx context.Context, w kind.Want) (kind.Live, error) {
			live, err := k.Create(ctx, wantOf[S](w))
			return live.untyped(), err
		},
		Update: func(ctx context.Context, w kind.Want, have kind.Live, changes []kind.Change) error {
			return k.Update(ctx, wantOf[S](w), liveOf[T](have), changes)
		},
		Delete: func(ctx context.Context, have kind.Live) (bool, error) { return k.Delete(ctx, liveOf[T](have)) },
		Unmark: func(ctx context.Context, have kind.Live) error { return k.Unmark(ctx, liveOf[T](have)) },
	}
	if k.Trace != nil {
		d.Trace = func(ctx context.Context, have kind.Live, changes []kind.Change) (kind.Trace, bool, error) {
			return k.Trace(ctx, liveOf[T](have), changes)
		}
	}
	return d
}

// wantOf returns a Want with a nil Spec if w has no spec of type S, for example because an imported object has a filter
// instead.
func wantOf[S any](w kind.Want) Want[S] {
	spec, _ := w.Spec.(*S)
	return Want[S]{w, spec}
}

func liveOf[T any](l kind.Live) Live[T] {
	state, _ := l.State.(*T)
	return Live[T]{l, state}
}

func (l Live[T]) untyped() kind.Live {
	l.Live.State = l.State
	return l.Live
}

// ofWant converts a function of a typed Want to a function of an untyped one. The result returns the zero value for an
// object without a spec.
func ofWant[S, R any](f func(Want[S]) R) func(kind.Want) R {
	if f == nil {
		return nil
	}
	return func(w kind.Want) (r R) {
		if t := wantOf[S](w); t.Spec != nil {
			r = f(t)
		}
		return r
	}
}

// ofSpec converts a function of a typed spec to a function of an untyped one. The result returns the zero value if there is
// no spec.
func ofSpec[S, R any](f func(*S) R) func(any) R {
	if f == nil {
		return nil
	}
	return func(spec any) (r R) {
		if s, _ := spec.(*S); s != nil {
			r = f(s)
		}
		return r
	}
}
