package document

import (
	"net/netip"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Explicit is implemented by specs in which what is left out means the same as something that can be written: rules of
// policies see that written out. spec is the tree of its JSON, which is the implementer's to change.
type Explicit interface{ SpellOut(spec map[string]any) }

// SpellOut is a copy of the spec of an object, as [Spec] shows it, for rules of policies: what means the same is written alike.
func SpellOut(d *kind.Desired, spec any) any {
	spec = oneSpelling(spec)
	if e, ok := d.Spec.(Explicit); ok && !d.Unmanaged {
		e.SpellOut(specAt(spec, d.SpecPath))
	}
	return spec
}

// oneSpelling is a copy of a tree in which networks and addresses that are the same are written alike: 10.1.2.3/8 as 10.0.0.0/8,
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

// specAt is the tree of a spec, which stands at a path within what is below "spec".
func specAt(spec any, path string) map[string]any {
	at, _ := spec.(map[string]any)
	for name := range strings.SplitSeq(path, ".") {
		if name != "spec" && at != nil {
			at, _ = at[name].(map[string]any)
		}
	}
	return at
}
