package reconcile

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Defaults are what a stack's configuration fills in where manifests are silent
// or speak the words of their own house.
type Defaults struct {
	Network      string            `json:"network,omitempty" doc:"Network of machines and load balancers that name none."`
	VIPNetworks  map[string]string `json:"vipNetworks,omitempty" doc:"LoadBalancer spec.vipType to network name."`
	Regions      map[string]string `json:"regions,omitempty" doc:"spec.region to the cloud's region."`
	Zones        map[string]string `json:"zones,omitempty" doc:"spec.zone to availability zone."`
	ServiceTypes map[string]string `json:"serviceTypes,omitempty" doc:"LoadBalancer spec.serviceType to Octavia flavor; \"\" for none."`
	// Region is the region the stack works in; not configured here but known
	// from the cloud's entry. "" when unknown (validate without a cloud).
	Region string `json:"-"`
}

// Expansion is what a workload kind sees while it says what its object stands
// for, and where it says it.
type Expansion struct {
	Report
	Key      manifest.Key
	Defaults Defaults

	parent   *node
	resolver *resolver
	children []derived
	err      error // of the first body that cannot be one
}

type derived struct {
	key      manifest.Key
	body     *manifest.Body // nil of what is there already
	fallback bool
	hint     string
}

// Child adds an object of another kind that the workload is made of. body is
// the document without apiVersion, kind and metadata.
func (e *Expansion) Child(kind, name string, body any) {
	e.Children(kind, 1, func(int) string { return name }, body)
}

// Children adds so many objects of another kind that are alike but for their
// names.
func (e *Expansion) Children(kind string, count int, name func(i int) string, body any) {
	if count <= 0 || !e.resolver.budget.take(costObjects, count) {
		return
	}
	made := e.body(body, count)
	if made == nil {
		return
	}
	e.children = slices.Grow(e.children, count)
	for i := range count {
		e.children = append(e.children, derived{key: e.resolver.key(kind, e.Key.Namespace, name(i)), body: made})
	}
}

// Existing adds an import that is used unless the repository declares an
// object of that kind and name itself. hint tells people what to do when it
// cannot be found; "" for the usual advice.
func (e *Expansion) Existing(kind, name string, body any, hint string) {
	key := e.resolver.key(kind, e.Key.Namespace, name)
	if e.resolver.byKey[key] != nil {
		e.children = append(e.children, derived{key: key})
		return
	}
	if !e.resolver.budget.take(costObjects, 1) {
		return
	}
	if made := e.body(body, 1); made != nil {
		e.children = append(e.children, derived{key: key, body: made, fallback: true, hint: hint})
	}
}

// body makes the document that so many objects share; nil when it is more than
// may be made, or no document.
func (e *Expansion) body(from any, count int) *manifest.Body {
	made, err := manifest.NewBody(from, e.parent.Origin.Line)
	if err != nil {
		e.err = err
		return nil
	}
	b := e.resolver.budget
	if !b.take(costValues, made.Values*count) || !b.take(costBytes, made.Bytes*count) {
		return nil
	}
	return made
}

// Declared lists the names of the objects of a kind that the repository itself
// declares in the namespace, sorted. The list is not the caller's to change.
func (e *Expansion) Declared(kind string) []string {
	return e.resolver.declared(kind, e.Key.Namespace)
}

// Declares tells whether the repository itself declares an object of that kind
// and name in the namespace.
func (e *Expansion) Declares(kind, name string) bool {
	_, found := slices.BinarySearch(e.Declared(kind), name)
	return found
}

// Meant is the declared object of a kind whose name a person most likely meant;
// "" when there is none, or when too many were looked for.
func (e *Expansion) Meant(kind, name string) string {
	return e.resolver.meant(name, e.Declared(kind))
}

// Referring lists the names of the objects of a kind that the repository itself
// declares in the namespace and that refer to the named object, sorted. The list
// is not the caller's to change.
func (e *Expansion) Referring(kind, toKind, toName string) []string {
	return e.resolver.referring(kind, e.resolver.key(toKind, e.Key.Namespace, toName))
}

// Data returns one entry of a ConfigMap or Secret of the namespace. ok is false
// when there is none such.
func (e *Expansion) Data(kind, name, entry string) (text string, ok bool) {
	d := e.resolver.byKey[e.resolver.key(kind, e.Key.Namespace, name)]
	if d == nil {
		return "", false
	}
	text, ok = d.Data[entry]
	return text, ok
}

// Members lists the names of the objects of a kind that the named object
// expands into, at any depth, in the order they were made. ok is false when
// the repository has no such object. The list is not the caller's to change.
func (e *Expansion) Members(ofKind, ofName, kind string) (names []string, ok bool) {
	n := e.resolver.byKey[e.resolver.key(ofKind, e.Key.Namespace, ofName)]
	if n == nil {
		return nil, false
	}
	return e.resolver.handOut(e.resolver.membersOf(n, kind)), true
}

// Referred lists the names of the objects of a kind that the named object, which
// the repository itself declares, refers to, in the order of its manifest. ok is
// false when the repository declares no such object.
func (e *Expansion) Referred(byKind, byName, kind string) (names []string, ok bool) {
	if !e.Declares(byKind, byName) {
		return nil, false
	}
	n := e.resolver.byKey[e.resolver.key(byKind, e.Key.Namespace, byName)]
	if n == nil || n.broken {
		return nil, true
	}
	for _, ref := range refsOf(&n.Desired, e.resolver.groups) {
		if ref.Key.Kind == kind {
			names = append(names, ref.Key.Name)
		}
	}
	return e.resolver.handOut(names), true
}
