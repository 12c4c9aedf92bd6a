package definition

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Sum implements [kind.Summing]. An expression that has no value yet, as of an object that is not there, leaves its
// field out.
func (k *defined) Sum(d *kind.Desired, parts map[string][]any, spend func(cost int) bool) (status any, unready string) {
	if k.broken {
		return nil, ""
	}
	r := &run{k, spend, mostObjectCost}
	variables := map[string]any{"schema": k.variable(d)}
	for _, from := range k.resources {
		switch list := parts[from.id]; {
		case len(from.each) > 0:
			variables[from.id] = celValue(plain(append([]any{}, list...)))
		case len(list) > 0:
			variables[from.id] = celValue(plain(list[0]))
		default:
			variables[from.id] = celValue(map[string]any{})
		}
	}
	for _, from := range k.resources {
		if unready = r.unready(from, variables, parts[from.id]); unready != "" {
			break
		}
	}
	if k.status == nil {
		return nil, unready
	}
	return k.status.observed(r, variables), unready
}

// unready is which of a resource's readyWhen is not true; "" when all are.
func (r *run) unready(from *resource, variables map[string]any, parts []any) string {
	if len(parts) == 0 {
		return "" // left out
	}
	if len(from.each) == 0 {
		parts = parts[:1]
	}
	for _, e := range from.ready {
		for i, part := range parts {
			with, name := variables, from.id
			if len(from.each) > 0 {
				with = maps.Clone(variables)
				with["each"], name = celValue(plain(part)), fmt.Sprintf("%s[%d]", from.id, i)
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

// observed is value without what has none.
func (n *node) observed(r *run, variables map[string]any) any {
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
