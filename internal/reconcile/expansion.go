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

	parent   *Desired
	resolver *resolver
	children []derived
}

type derived struct {
	key      manifest.Key
	body     any
	fallback bool
	hint     string
}

// Child adds an object of another kind that the workload is made of. body is
// the document without apiVersion, kind and metadata.
func (e *Expansion) Child(kind, name string, body any) {
	e.children = append(e.children, derived{key: e.resolver.key(kind, e.Key.Namespace, name), body: body})
}

// Existing adds an import that is used unless the repository declares an
// object of that kind and name itself. hint tells people what to do when it
// cannot be found; "" for the usual advice.
func (e *Expansion) Existing(kind, name string, body any, hint string) {
	e.children = append(e.children, derived{key: e.resolver.key(kind, e.Key.Namespace, name), body: body, fallback: true, hint: hint})
}

// Declared lists the names of the objects of a kind that the repository itself
// declares in the namespace, sorted.
func (e *Expansion) Declared(kind string) []string {
	var names []string
	for key := range e.resolver.written {
		if key.Kind == kind && key.Namespace == e.Key.Namespace {
			names = append(names, key.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Referring lists the names of the objects of a kind that the repository itself
// declares in the namespace and that refer to the named object, sorted.
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
// the repository has no such object.
func (e *Expansion) Members(ofKind, ofName, kind string) (names []string, ok bool) {
	owner := e.resolver.key(ofKind, e.Key.Namespace, ofName)
	d := e.resolver.byKey[owner]
	if d == nil {
		return nil, false
	}
	e.resolver.expand(d)
	for _, child := range e.resolver.offspring[owner] {
		if child.Kind == kind {
			names = append(names, child.Name)
		}
		deeper, _ := e.Members(child.Kind, child.Name, kind)
		names = append(names, deeper...)
	}
	return names, true
}
