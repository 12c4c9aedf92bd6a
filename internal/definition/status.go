package definition

import (
	"fmt"
	"maps"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// statusOf implements [kind.Kind.StatusExpr]. If an expression has no value yet, for example because an object does
// not exist, its field is left out.
func (k *defined) statusOf(d *kind.Desired, parts map[string][]any, spend func(cost int) bool) (status any, unready string) {
	if k.broken {
		return nil, ""
	}
	r := k.run(spend)
	variables := map[string]any{"schema": k.variable(d)}
	seen := map[string][]ref.Val{}
	for _, from := range k.resources {
		list := r.see(parts[from.id])
		switch seen[from.id] = list; {
		case len(from.each) > 0:
			variables[from.id] = types.NewRefValList(types.DefaultTypeAdapter, list)
		case len(list) > 0:
			variables[from.id] = list[0]
		default:
			variables[from.id] = celValue(map[string]any{})
		}
	}
	for _, from := range k.resources {
		if unready = r.unready(from, variables, seen[from.id]); unready != "" {
			break
		}
	}
	if k.status == nil {
		return nil, unready
	}
	return k.status.observed(r, variables), unready
}

// see converts parts to values for expressions, within the cost limit. A part that exceeds the limit becomes an empty
// mapping.
func (r *run) see(parts []any) []ref.Val {
	list := make([]ref.Val, len(parts))
	for i, part := range parts {
		if list[i] = celValue(map[string]any{}); r.take(1) != nil {
			continue
		}
		if v := celValue(part); r.take(int(weight(v, 0))) == nil {
			list[i] = v
		}
	}
	return list
}

// unready returns the readyWhen expression of a resource that is not true, or "" if all are true.
func (r *run) unready(from *resource, variables map[string]any, parts []ref.Val) string {
	switch {
	case len(parts) > 0:
	case from.external:
		parts = []ref.Val{variables[from.id].(ref.Val)} // the state of the object is unknown
	default:
		return "" // includeWhen leaves the object out
	}
	if len(from.each) == 0 {
		parts = parts[:1]
	}
	for _, e := range from.ready {
		for i, part := range parts {
			with, name := variables, from.id
			if len(from.each) > 0 {
				with = maps.Clone(variables)
				with["each"], name = part, fmt.Sprintf("%s[%d]", from.id, i)
			}
			v, err := r.native(e, with)
			switch yes, _ := v.(bool); {
			case err != nil:
				return fmt.Sprintf("%s is not ready: %s has no value: %s", name, quote("${"+e.source+"}"), clip(err.Error()))
			case !yes:
				return fmt.Sprintf("%s is not ready: %s is not true", name, quote("${"+e.source+"}"))
			}
		}
	}
	return ""
}

// observed does the same as value, but leaves out fields without a value.
func (n *node) observed(r *run, variables map[string]any) any {
	if r.take(elementCost) != nil {
		return nil
	}
	switch n.kind {
	case mapNode:
		m := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(n.fields)) {
			if v := n.fields[name].observed(r, variables); v != nil {
				m[name] = v
			}
		}
		if len(m) == 0 {
			return nil
		}
		return m
	case listNode:
		var list []any
		for _, item := range n.list {
			if v := item.observed(r, variables); v != nil {
				list = append(list, v)
			}
		}
		if list == nil {
			return nil
		}
		return list
	case literalNode, exprNode, textNode:
	}
	v, err := n.value(r, variables)
	if _, none := v.(omitted); err != nil || none {
		return nil
	}
	return v
}
