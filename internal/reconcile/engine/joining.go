package engine

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
)

// joining returns the collections that lists of places have to read because of manifests, see [kind.Kind.Joins]. Those of earlier manifests that
// still count are included.
func (e *Engine) joining(want []kind.Desired) map[memory.Place][]string {
	joins := map[string]func(any) []string{}
	for _, k := range e.Kinds {
		if k.Joins != nil {
			joins[k.Info.Kind] = k.Joins
		}
	}
	joined := map[memory.Place][]string{}
	if len(joins) == 0 {
		return joined
	}
	all := e.past().WithFallbacks(want)
	for i := range all {
		d := &all[i]
		if joins[d.Key.Kind] == nil || d.Spec == nil {
			continue
		}
		at := memory.Place{Kind: d.Key.Kind, Entry: d.Entry}
		for _, name := range joins[d.Key.Kind](d.Spec) {
			if !slices.Contains(joined[at], name) {
				joined[at] = append(joined[at], name)
			}
		}
	}
	return joined
}

// collectionsAt returns the collections that lists of places through one entry read (see [kind.Info.Lists]).
func (e *Engine) collectionsAt(entry string, places []memory.Place) (names []string) {
	for _, at := range places {
		if at.Entry == entry {
			names = append(names, e.kind(at.Kind).Info.Lists...)
		}
	}
	return names
}
