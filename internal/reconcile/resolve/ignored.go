package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// checkIgnored refuses annotations that name fields which neither the object nor any object that it expands into can have, because they
// would have no effect.
func (r *resolver) checkIgnored() {
	for _, n := range r.order[:r.written] {
		if n.invalid || len(n.Options.Ignore) == 0 {
			continue
		}
		bodies := r.bodiesOf(n)
		var paths []string // set on first use
		for _, path := range n.Options.Ignore {
			known, whole := ignorable(bodies, path)
			switch {
			case r.over():
				return
			case known && whole == "":
				continue
			case known:
				r.report(n.Problem(AnnotationField(AnnotationIgnore), fmt.Sprintf("names %q, but %s", clip(path), clip(whole)+" is compared and written as a whole"),
					"name "+clip(whole)+" to have the agent ignore all of it"))
				continue
			case paths == nil:
				for _, b := range bodies {
					paths = append(paths, slices.DeleteFunc(manifest.FieldPaths(b.body), func(path string) bool { return !b.has(path) })...)
				}
			}
			r.report(r.unknownField(n, path, paths))
		}
	}
}

// ignorable reports whether any of the bodies has a field at a path. If no body compares the field separately, whole is the larger field
// that is compared as one value.
func ignorable(bodies []specBody, path string) (known bool, whole string) {
	for _, b := range bodies {
		if !b.has(path) {
			continue
		}
		if whole = manifest.Whole(b.body, path); whole == "" {
			return true, ""
		}
		known = true
	}
	return known, whole
}

// Ignorable does the same as ignorable, for the documents of kinds.
func Ignorable(kinds []*kind.Kind, path string) (known bool, whole string) {
	bodies := make([]specBody, len(kinds))
	for i, k := range kinds {
		bodies[i] = specBody{k.Body, k.SpecPath}
	}
	return ignorable(bodies, path)
}

// specBody is a type of documents, and the path of the part that is compared with the cloud.
type specBody struct {
	body manifest.Type
	spec string
}

func (b specBody) has(path string) bool {
	return (kind.Within(path, b.spec) || kind.Within(b.spec, path)) && manifest.HasField(b.body, path)
}

func (r *resolver) unknownField(n *node, path string, paths []string) manifest.Problem {
	const longest = 200
	near := manifest.NearestPath(path, paths)
	path = printable.Shorten(path, longest)
	of := r.ownerText(n)
	fix := "name a field as a manifest has it, such as spec.resource.description"
	if near != "" {
		fix = "did you mean " + near + "?"
	}
	return n.Problem(AnnotationField(AnnotationIgnore), fmt.Sprintf("names %q, which is not a field of %s", path, of), fix)
}

// bodiesOf returns the types of the documents whose fields the annotations of n can name: its own type, and the types of the objects that
// it expands into. An object that only stands for others has no type of its own in the cloud. While it has no members, they may be of any
// kind.
func (r *resolver) bodiesOf(n *node) (bodies []specBody) {
	add := func(n *node) {
		body := specBody{n.Body, n.SpecPath}
		if !n.Unmanaged && r.kinds[n.Key.Kind].Driver != nil && !slices.Contains(bodies, body) {
			bodies = append(bodies, body)
		}
	}
	add(n)
	members := 0
	group := r.kinds[n.Key.Kind].Group
	var walk func(parts []*node)
	walk = func(parts []*node) {
		for _, part := range parts {
			if part.Key.Kind == group.Members {
				members++
			}
			add(part)
			walk(part.parts)
		}
	}
	walk(n.parts)
	if len(bodies) == 0 || group.Members != "" && members == 0 {
		for _, name := range slices.Sorted(maps.Keys(r.kinds)) {
			if k := r.kinds[name]; k.Driver != nil {
				bodies = append(bodies, specBody{k.Body, k.SpecPath})
			}
		}
	}
	return bodies
}
