package document

import (
	"net/netip"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Explicit is implemented by specs in which an omitted field means the same as a value that can be written. Rules of
// policies see that value. spec is the tree of its JSON, which the implementer may change.
type Explicit interface{ SpellOut(spec map[string]any) }

// SpellOut returns a copy of an object's spec, as [Spec] shows it, for rules of policies. Values with the same meaning have
// the same spelling.
func SpellOut(d *kind.Desired, spec any) any {
	spec = oneSpelling(spec)
	if e, ok := d.Spec.(Explicit); ok && !d.Unmanaged {
		e.SpellOut(specAt(spec, d.SpecPath))
	}
	return spec
}

// oneSpelling returns a copy of a tree in which equal networks and addresses have the same spelling: 10.1.2.3/8 as 10.0.0.0/8,
// 0::0/0 as ::/0.
func oneSpelling(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		out := make(map[string]any, len(tree))
		for key, value := range tree {
			out[key] = oneSpelling(value)
		}
		return out
	case []any:
		out := make([]any, len(tree))
		for i, value := range tree {
			out[i] = oneSpelling(value)
		}
		return out
	case string:
		if p, err := netip.ParsePrefix(tree); err == nil {
			return p.Masked().String()
		}
		if a, err := netip.ParseAddr(tree); err == nil {
			return a.String()
		}
	}
	return tree
}

// specAt returns the tree at a path below "spec".
func specAt(spec any, path string) map[string]any {
	at, _ := spec.(map[string]any)
	for name := range strings.SplitSeq(path, ".") {
		if name != "spec" && at != nil {
			at, _ = at[name].(map[string]any)
		}
	}
	return at
}
