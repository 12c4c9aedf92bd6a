package kind

import (
	"context"
	"reflect"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Envelope is what every resource kind in K-ORC's vocabulary has around its
// resource. (k-orc/openstack-resource-controller, api/v1alpha1)
type Envelope[Resource, Filter any] struct {
	CloudCredentialsRef *CredentialsRef   `json:"cloudCredentialsRef,omitempty" doc:"Through which entry of clouds.yaml the object is made, where the stack's configuration allows several (spec.clouds); otherwise accepted and ignored."`
	ManagementPolicy    string            `json:"managementPolicy,omitempty" rule:"enum=managed|unmanaged,default=managed" doc:"managed: created, kept and deleted with this manifest. unmanaged: found by spec.import and never changed."`
	ManagedOptions      *ManagedOptions   `json:"managedOptions,omitempty" doc:"What happens to a managed object at the end of its life."`
	ResyncPeriod        *string           `json:"resyncPeriod,omitempty" doc:"Accepted and ignored: the stack's driftCheck says when the cloud is checked."`
	Import              *ImportOf[Filter] `json:"import,omitempty" doc:"Which existing object this manifest stands for."`
	Resource            *Resource         `json:"resource,omitempty" doc:"What the object shall be. Required unless unmanaged."`
}

// CredentialsRef names an entry of clouds.yaml, and the Secret that K-ORC would take that from.
type CredentialsRef struct {
	SecretName string `json:"secretName" rule:"required" doc:"Secret that K-ORC takes the credentials from. The agent has a clouds.yaml of its own: spec.credentialSecrets of the stack's configuration says which entry of it each Secret stands for; without that the name is ignored."`
	CloudName  string `json:"cloudName" rule:"required" doc:"Entry of the agent's clouds.yaml: the stack's own, or one of spec.clouds in its configuration. Without spec.clouds any name means the stack's own."`
}

// ManagedOptions says how a managed object ends.
type ManagedOptions struct {
	OnDelete string `json:"onDelete,omitempty" rule:"enum=delete|detach,default=delete" doc:"delete: goes with its manifest. detach: is let go: it stays in the cloud, and is no longer managed."`
}

// ImportOf says which existing object is meant: exactly one of ID and Filter.
type ImportOf[Filter any] struct {
	ID     *string `json:"id,omitempty" doc:"The object's ID in the cloud."`
	Filter *Filter `json:"filter,omitempty" rule:"min=1" doc:"Properties by which the one object is found."`
}

type resourceBody[S, F any] struct {
	Spec Envelope[S, F] `json:"spec" rule:"required"`
}

type flatBody[S any] struct {
	Spec S `json:"spec" rule:"required"`
}

// Define makes a kind of a resource in K-ORC's vocabulary.
func Define[S, F, T any](info Info, rules Rules[*S, *F, *T], driver Driver[*S, *T]) Kind {
	return &resource[*S, *F, *T]{info: info, rules: rules, drv: driver, body: manifest.TypeFor[resourceBody[S, F]](),
		read: readEnvelope[S, F], path: envelopePath}
}

// DefineFlat makes a kind whose spec stands directly under spec, and which
// cannot be imported.
func DefineFlat[S, T any](info Info, rules Rules[*S, *struct{}, *T], driver Driver[*S, *T]) Kind {
	return &resource[*S, *struct{}, *T]{info: info, rules: rules, drv: driver, body: manifest.TypeFor[flatBody[S]](), read: readFlat[S], path: flatPath}
}

// DefineWorkload makes a kind that only stands for others.
func DefineWorkload[S any](info Info, rules interface {
	Expander[*S]
	Validate(spec *S, r *Report)
}) Kind {
	return &workload[S]{info: info, rules: rules}
}

// resource is a kind. S, F and T are pointers to its spec, its filter and its state: the compiler writes
// the methods down once for all pointers, and would do so once for each kind otherwise.
type resource[S, F, T any] struct {
	info  Info
	rules Rules[S, F, T]
	drv   Driver[S, T]
	body  manifest.Type
	read  func(*manifest.Object, *Desired) (S, []manifest.Problem)
	path  string
}

func (k *resource[S, F, T]) Info() Info          { return k.info }
func (k *resource[S, F, T]) Body() manifest.Type { return k.body }

func (k *resource[S, F, T]) Decode(obj *manifest.Object) (Desired, []manifest.Problem) {
	d := NewDesired(obj)
	spec, problems := k.read(obj, &d)
	if !none(spec) && len(problems) == 0 {
		d.Spec = spec
		var r Report
		k.rules.Validate(spec, &r)
		problems = r.Problems(obj)
		d.Notes = r.notes
		d.Lasts = lasts(k.rules, spec)
	}
	return d, problems
}

func (k *resource[S, F, T]) Expand(d *Desired, e *Expansion) {
	if x, ok := any(k.rules).(Expander[S]); ok && d.Spec != nil {
		x.Expand(d.Spec.(S), e)
	}
}

func (k *resource[S, F, T]) Name(w Want[any]) string { return k.rules.Name(typed[S](w)) }

func (k *resource[S, F, T]) Diff(w Want[any], have any) Changes {
	var c Changes
	k.rules.Diff(typed[S](w), have.(T), &c)
	c.cuts(reflect.TypeFor[S](), k.path)
	return c
}

func (k *resource[S, F, T]) Match(w Want[any], have any) bool {
	return k.rules.Match(typed[F](w), have.(T))
}

func (k *resource[S, F, T]) Status(have any) any { return k.rules.Status(have.(T)) }

func (k *resource[S, F, T]) Driver() AnyDriver {
	if k.drv == nil {
		return nil
	}
	return &erased[S, T]{k.drv}
}

func typed[S any](w Want[any]) Want[S] {
	t := Want[S]{Key: w.Key, Mark: w.Mark, seen: w.seen}
	t.Spec, _ = w.Spec.(S)
	return t
}

// none reports whether a pointer is nil.
func none[P any](pointer P) bool {
	var without P
	return any(pointer) == any(without)
}

type erased[S, T any] struct{ d Driver[S, T] }

func (e *erased[S, T]) List(ctx context.Context, asked Listing) ([]Live[any], error) {
	items, err := e.d.List(ctx, asked)
	out := make([]Live[any], len(items))
	for i, item := range items {
		out[i] = erase(item)
	}
	return out, err
}

func (e *erased[S, T]) Create(ctx context.Context, w Want[any]) (Live[any], error) {
	live, err := e.d.Create(ctx, typed[S](w))
	return erase(live), err
}

func (e *erased[S, T]) Update(ctx context.Context, w Want[any], have Live[any], changes []Change) error {
	return e.d.Update(ctx, typed[S](w), unerase[T](have), changes)
}

func (e *erased[S, T]) Delete(ctx context.Context, have Live[any]) (bool, error) {
	return e.d.Delete(ctx, unerase[T](have))
}

func (e *erased[S, T]) Unmark(ctx context.Context, have Live[any]) error {
	return e.d.Unmark(ctx, unerase[T](have))
}

// trace says what the driver knows besides the time of the last change.
func (e *erased[S, T]) Trace(ctx context.Context, have Live[any], changes []Change) (Trace, bool, error) {
	if d, ok := e.d.(Tracer[T]); ok {
		return d.Trace(ctx, unerase[T](have), changes)
	}
	return Trace{When: have.Updated}, !have.Updated.IsZero(), nil
}

func erase[T any](l Live[T]) Live[any] {
	return Live[any]{ID: l.ID, Name: l.Name, Mark: l.Mark, Copied: l.Copied, InOwnProject: l.InOwnProject, Project: l.Project, Guarded: l.Guarded, AlsoListedAs: l.AlsoListedAs, Phase: l.Phase, Role: l.Role, ServesID: l.ServesID, Remade: l.Remade, Empty: l.Empty, Down: l.Down, Locked: l.Locked, Message: l.Message,
		Uses: l.Uses, AutoDetached: l.AutoDetached, Unwell: l.Unwell, Lag: l.Lag, Interruptible: l.Interruptible, Drained: l.Drained, Tokens: l.Tokens, Facts: l.Facts, InUse: l.InUse, Unmade: l.Unmade, HostID: l.HostID, WantedReplicas: l.WantedReplicas, Created: l.Created, Updated: l.Updated, Since: l.Since, State: l.State}
}

func unerase[T any](l Live[any]) Live[T] {
	state, _ := l.State.(T) // nil of an object that is gone
	return Live[T]{ID: l.ID, Name: l.Name, Mark: l.Mark, Copied: l.Copied, InOwnProject: l.InOwnProject, Project: l.Project, Guarded: l.Guarded, AlsoListedAs: l.AlsoListedAs, Phase: l.Phase, Role: l.Role, ServesID: l.ServesID, Remade: l.Remade, Empty: l.Empty, Down: l.Down, Locked: l.Locked, Message: l.Message,
		Uses: l.Uses, AutoDetached: l.AutoDetached, Unwell: l.Unwell, Lag: l.Lag, Interruptible: l.Interruptible, Drained: l.Drained, Tokens: l.Tokens, Facts: l.Facts, InUse: l.InUse, Unmade: l.Unmade, HostID: l.HostID, WantedReplicas: l.WantedReplicas, Created: l.Created, Updated: l.Updated, Since: l.Since, State: state}
}

func readFlat[S any](obj *manifest.Object, _ *Desired) (*S, []manifest.Problem) {
	var body flatBody[S]
	problems := obj.Decode(&body)
	return &body.Spec, problems
}

func readEnvelope[S, F any](obj *manifest.Object, d *Desired) (*S, []manifest.Problem) {
	var body resourceBody[S, F]
	problems := obj.Decode(&body)
	if len(problems) > 0 {
		return nil, problems
	}
	spec := &body.Spec
	d.Credentials = spec.CloudCredentialsRef
	said := envelope{unmanaged: spec.ManagementPolicy == "unmanaged", resource: spec.Resource != nil, options: spec.ManagedOptions}
	if spec.Import != nil {
		said.id, said.imports = spec.Import.ID, true
		if spec.Import.Filter != nil {
			said.filter = spec.Import.Filter
		}
	}
	return spec.Resource, said.read(obj, d)
}

// envelope is what an [Envelope] says besides its resource.
type envelope struct {
	unmanaged, resource, imports bool
	id                           *string
	filter                       any // nil for none
	options                      *ManagedOptions
}

func (e envelope) read(obj *manifest.Object, d *Desired) []manifest.Problem {
	var r Report
	switch {
	case e.unmanaged && !e.imports:
		r.Problem("spec.import", "is missing", "say which existing object is meant: import.id or import.filter")
	case e.unmanaged && e.resource:
		r.Problem("spec.resource", "is given for an unmanaged object", "remove it, or set managementPolicy: managed")
	case !e.unmanaged && !e.resource:
		r.Problem("spec.resource", "is missing", "describe the object under spec.resource, or set managementPolicy: unmanaged and spec.import")
	}
	if e.imports {
		d.Import = e.readImport(&r)
	}
	if e.unmanaged && e.options != nil {
		r.Problem("spec.managedOptions", "is given for an unmanaged object", "remove it, or set managementPolicy: managed")
	}
	if e.options != nil && e.options.OnDelete == "detach" {
		d.Options.Detach = true
	}
	d.Unmanaged, d.SpecPath = e.unmanaged, envelopePath
	return r.Problems(obj)
}

func (e envelope) readImport(r *Report) *Import {
	switch {
	case e.id == nil && e.filter == nil:
		r.Problem("spec.import", "names nothing", "give import.id or import.filter")
	case e.id != nil && e.filter != nil:
		r.Problem("spec.import", "has both id and filter", "keep one of them")
	case e.id != nil:
		return &Import{ID: *e.id}
	default:
		return &Import{Filter: e.filter}
	}
	return nil
}
