package resolve

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// If an object gets another name, it can stay the same object in the cloud. For that, its manifest gives its old name:
//
//	stackreeve.dev/moved-from: Volume/db-data
//
// Then the object in the cloud with the mark of the old key is taken over, with its data, and its mark is rewritten. The parts that the
// object expands into move with it, because their names are derived from its name.

// maxMoves is the maximum number of earlier names of an object.
const maxMoves = 10

// findFormerNames finds the earlier names of every object.
func (r *resolver) findFormerNames() {
	first := map[manifest.Key]*node{}
	for _, n := range r.order {
		if r.over() {
			return
		}
		text := n.Object.Annotations[AnnotationMoved]
		if text == "" || n.invalid || n.Virtual && n.Data != nil || n.Unmanaged && n.Parent != (manifest.Key{}) {
			continue
		}
		root := r.root(n)
		for _, name := range r.formerNames(n, root, text) {
			r.addFormerName(n, r.key(n.Key.Kind, n.Key.Namespace, name), first)
		}
	}
}

// formerNames returns the earlier names of n. They are derived from text, which contains the earlier names of its root. Mistakes in text
// are reported at the root.
func (r *resolver) formerNames(n *node, root manifest.Key, text string) (names []string) {
	wrong := func(what, fix string) {
		if n.Key == root {
			r.report(n.Problem(AnnotationField(AnnotationMoved), what, fix))
		}
	}
	if n.Unmanaged {
		wrong("is given for an unmanaged object", "remove it: an imported object keeps its own name")
		return nil
	}
	entries := strings.Split(text, ",")
	if len(entries) > maxMoves {
		wrong(fmt.Sprintf("has %d names", len(entries)), fmt.Sprintf("keep the last %d", maxMoves))
		return nil
	}
	for _, entry := range entries {
		kind, name, ok := strings.Cut(strings.TrimSpace(entry), "/")
		switch {
		case !ok || !manifest.IsName(name):
			wrong(fmt.Sprintf("is %q", text), fmt.Sprintf("write %s/old-name", root.Kind))
		case kind != root.Kind:
			wrong(fmt.Sprintf("is %q, which names another kind", text), fmt.Sprintf("the former name must have the same kind: write %s/old-name", root.Kind))
		case name == root.Name:
			wrong("is the present name of the object", "write the old name, or remove the annotation")
		case n.Key.Name == root.Name:
			names = append(names, name)
		case strings.HasPrefix(n.Key.Name, root.Name+"-"):
			names = append(names, name+strings.TrimPrefix(n.Key.Name, root.Name))
		}
	}
	return names
}

// addFormerName records that n had the name in from. No other object can have had that name, and only an
// import can have it now.
func (r *resolver) addFormerName(n *node, from manifest.Key, first map[manifest.Key]*node) {
	field := AnnotationField(AnnotationMoved)
	if still := r.byKey[from]; still != nil && !still.Unmanaged {
		r.report(n.Problem(field, fmt.Sprintf("names %s, which is still in the repository (%s)", from, describeOrigin(still)), "remove that manifest, or the annotation"))
		return
	}
	if other := first[from]; other != nil && other != n {
		r.report(n.Problem(field, fmt.Sprintf("names %s, and so does %s (%s)", from, other.Key, describeOrigin(other)), "keep the annotation on the right object only"))
	}
	first[from] = n
	n.From = append(n.From, from)
}
