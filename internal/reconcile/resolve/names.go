package resolve

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// namesOf lists the names of objects by kind and namespace, in natural order.
func namesOf(list []*node) map[scope][]string {
	names := map[scope][]string{}
	for _, n := range list {
		at := scope{n.Key.Kind, n.Key.Namespace}
		names[at] = append(names[at], n.Key.Name)
	}
	for at := range names {
		natural.Sort(names[at])
	}
	return names
}

// declared returns the names of the objects of a kind that the repository declares.
func (r *resolver) declared(kind, namespace string) []string {
	if r.names == nil {
		r.names = namesOf(r.order[:r.declares])
	}
	return slices.Clip(r.names[scope{kind, namespace}])
}

// guessName returns the one of names that a person probably meant. It returns "" if none is similar, or if the budget for comparisons is
// exceeded.
func (r *resolver) guessName(name string, names []string) string {
	if !r.budget.tryTake(costComparisons, len(names)) {
		return ""
	}
	return nearest.Name(name, names)
}

// referrer identifies the objects of a kind that refer to one object.
type referrer struct {
	kind string
	to   manifest.Key
}

func (r *resolver) referring(kind string, to manifest.Key) []string {
	if r.referrers == nil {
		r.referrers = map[referrer][]string{}
		for _, n := range r.order[:r.declares] {
			if n.invalid {
				continue
			}
			for _, ref := range refsOf(&n.Desired, r.groups) {
				at := referrer{n.Key.Kind, ref.Key}
				r.referrers[at] = append(r.referrers[at], n.Key.Name)
			}
		}
		for at, names := range r.referrers {
			natural.Sort(names)
			r.referrers[at] = slices.Clip(slices.Compact(names))
		}
	}
	return r.chargeReferences(r.referrers[referrer{kind, to}])
}

// chargeReferences takes the cost of names that will become references from the budget.
func (r *resolver) chargeReferences(names []string) []string {
	if !r.budget.take(costReferences, len(names)) {
		return nil
	}
	return names
}

// membersOf returns the names of the objects of a kind that n expands into, at any depth, in the order of expansion.
func (r *resolver) membersOf(n *node, kind string) []string {
	r.expand(n)
	if names, ok := n.members[kind]; ok {
		return names
	}
	var names []string
	for _, part := range n.parts {
		if part.Key.Kind == kind {
			names = append(names, part.Key.Name)
		}
		if len(part.parts) > 0 {
			names = append(names, r.membersOf(part, kind)...)
		}
	}
	if n.done {
		if n.members == nil {
			n.members = map[string][]string{}
		}
		n.members[kind] = slices.Clip(names)
	}
	return names
}

// link finds every reference of every object, and reports the references whose target does not exist. If an object passes a reference on to
// its parts, which come after it, the reference is reported once.
func (r *resolver) link() {
	type leads struct{ from, to manifest.Key }
	named := map[leads]bool{}
	for _, n := range r.order {
		if r.over() {
			return
		}
		if n.invalid {
			continue
		}
		n.Refs = append(refsOf(&n.Desired, r.groups), r.entries.secret(&n.Desired)...)
		for _, ref := range n.Refs {
			if r.byKey[ref.Key] != nil || r.absent(n, ref.Key) || r.partsUnknown || r.maybeUnexpanded(ref.Key) {
				continue
			}
			named[leads{n.Key, ref.Key}] = true
			if named[leads{n.Parent, ref.Key}] {
				continue
			}
			if r.report(n.Problem(ref.Field, fmt.Sprintf("refers to %s, which is not in the repository", shown(ref.Key)), r.advise(ref))); r.over() {
				return
			}
		}
	}
}

// absent adds an object that n refers to but that has no manifest. It reports whether that is allowed. It is
// also allowed if the object may be a part that was not expanded because a value is unknown.
func (r *resolver) absent(n *node, key manifest.Key) bool {
	if !r.allowMissing && r.lost == nil || r.kinds[key.Kind] == nil || !r.budget.take(costObjects, 1) {
		return false
	}
	added := &node{Desired: kind.Desired{Key: key, Origin: n.Origin, Unmanaged: true, Object: &manifest.Object{Key: key, Origin: n.Origin}}}
	r.byKey[key] = added
	r.order = append(r.order, added)
	return true
}

// shown returns the text of a key for messages. It clips the name, which may be any text.
func shown(key manifest.Key) string {
	const most = 253
	key.Name = printable.Clip(key.Name, most)
	return key.String()
}

// advise returns advice for a reference without a target.
func (r *resolver) advise(ref kind.RefSpec) string {
	if ref.Field == secretField {
		return r.entries.known()
	}
	return r.suggest(ref.Key)
}

// otherNamespace returns another namespace that has an object of that kind and name, or "" if there is none.
func (r *resolver) otherNamespace(missing manifest.Key) (namespace string) {
	for at, names := range r.all {
		if at.kind == missing.Kind && (namespace == "" || at.namespace < namespace) && r.budget.tryTake(costComparisons, len(names)) && slices.Contains(names, missing.Name) {
			namespace = at.namespace
		}
	}
	return namespace
}

func (r *resolver) suggest(missing manifest.Key) string {
	if r.all == nil {
		r.all = namesOf(r.order)
	}
	if elsewhere := r.otherNamespace(missing); elsewhere != "" {
		return fmt.Sprintf("an object with this name is in namespace %s, but objects can only refer to objects of their own namespace", elsewhere)
	}
	if near := r.guessName(missing.Name, r.all[scope{missing.Kind, missing.Namespace}]); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	if missing.Group == "" { // a Secret or ConfigMap, which is in no cloud
		return "add a manifest for it, in namespace " + missing.Namespace
	}
	return fmt.Sprintf("add a manifest for it (managementPolicy: unmanaged with spec.import, if it exists already in the cloud), in namespace %s", missing.Namespace)
}
