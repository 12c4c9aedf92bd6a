package report

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// StatusFilter selects the objects that are shown. The zero value selects all.
type StatusFilter struct {
	Kinds    []string // the object must have one of these kinds; empty means any kind
	NotReady bool     // only objects that need a person's attention.
	Labels   []Requirement
	Objects  []ObjectName // the object must have one of these names; empty means any name
}

// ObjectName is the name of an object as people write it: Kind/name or Kind/namespace/name. The kind may be in upper or lower case.
type ObjectName struct{ Kind, Namespace, Name string }

// ParseObject reads Kind/name or Kind/namespace/name.
func ParseObject(text string) (ObjectName, error) {
	parts := strings.Split(text, "/")
	for _, part := range parts {
		if part == "" {
			parts = nil
		}
	}
	switch len(parts) {
	case 2:
		return ObjectName{Kind: parts[0], Namespace: manifest.DefaultNamespace, Name: parts[1]}, nil
	case 3:
		return ObjectName{Kind: parts[0], Namespace: parts[1], Name: parts[2]}, nil
	}
	return ObjectName{}, fmt.Errorf("%s names no object; write Kind/name, such as VirtualMachine/web-1, or Kind/namespace/name", printable.Name(text))
}

// ParseTarget reads the name of an object in which * stands for any text.
func ParseTarget(text string) (plan.Target, error) {
	o, err := ParseObject(text)
	if err != nil {
		return plan.Target{}, err
	}
	for _, part := range []string{o.Namespace, o.Name} {
		if _, err := path.Match(part, ""); err != nil {
			return plan.Target{}, fmt.Errorf("%s has a pattern that cannot be read; use * for any text", printable.Name(text))
		}
	}
	return plan.Target(o), nil
}

// Is reports whether the object has this name.
func (n ObjectName) Is(o status.Object) bool {
	return strings.EqualFold(n.Kind, o.Kind) && n.Name == o.Metadata.Name && n.Namespace == o.Metadata.Namespace
}

// In reports whether the object is in any of the views.
func (n ObjectName) In(views []StatusView) bool {
	for _, v := range views {
		for _, o := range v.Objects {
			if n.Is(o) {
				return true
			}
		}
	}
	return false
}

// Missing returns the error that no checked stack has the object. The error suggests a similar name.
func (n ObjectName) Missing(views []StatusView) error {
	var names []string
	for _, v := range views {
		for _, o := range v.Objects {
			names = append(names, nameOf(o))
		}
	}
	wanted := manifest.Key{Kind: n.Kind, Namespace: n.Namespace, Name: n.Name}.String()
	text := "there is no object " + wanted
	if near := nearest.Names(wanted, names, 3); len(near) > 0 {
		return errors.New(text + "; the nearest are " + strings.Join(near, ", "))
	}
	return errors.New(text + "; `stackreeve status` lists them")
}

// Select returns the objects that the filter selects, in the order of the list.
func (f StatusFilter) Select(list []status.Object) []status.Object {
	var out []status.Object
	for _, o := range list {
		if f.selects(o) {
			out = append(out, o)
		}
	}
	return out
}

func (f StatusFilter) selects(o status.Object) bool {
	if f.NotReady && !needsAttention(o) {
		return false
	}
	for _, r := range f.Labels {
		if !r.Meets(o.Metadata.Labels) {
			return false
		}
	}
	return anyOf(f.Kinds, func(kind string) bool { return strings.EqualFold(kind, o.Kind) }) && anyOf(f.Objects, func(n ObjectName) bool { return n.Is(o) })
}

func anyOf[T any](list []T, is func(T) bool) bool {
	for _, item := range list {
		if is(item) {
			return true
		}
	}
	return len(list) == 0
}

// needsAttention reports whether an object is not in its wanted state, or cannot be used.
func needsAttention(o status.Object) bool {
	return !o.Status.State.Fine() || o.Status.Conditions[0].Status != "True"
}

// Has reports whether there is an object of a kind.
func (v StatusView) Has(kind string) bool {
	return slices.ContainsFunc(v.Objects, func(o status.Object) bool { return strings.EqualFold(o.Kind, kind) })
}

// KeyOf returns the key of an object in a view.
func KeyOf(o status.Object, kinds []*kind.Kind) manifest.Key {
	key := manifest.Key{Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name}
	for _, k := range kinds {
		if k.Info.Kind == o.Kind {
			key.Group = k.Info.Group
			return key
		}
	}
	if group, _, found := strings.Cut(o.APIVersion, "/"); found { // the revision itself defines the kind
		key.Group = group
	}
	return key
}

func nameOf(o status.Object) string {
	return manifest.Key{Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name}.String()
}
