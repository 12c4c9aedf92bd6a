package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// impossible says why the cloud will refuse to make an object, as far as that shows in
// what it refers to; "" for nothing. have is the one that it takes the place of; nil for none. What cannot be made is not asked for, and nothing is
// deleted to make room for it.
func (p *planner) impossible(d *kind.Desired, have *kind.Live[any], view kind.Want[any]) string {
	judge, ok := p.kinds[d.Key.Kind].(kind.AnyJudge)
	if !ok {
		return ""
	}
	if why := judge.Impossible(view); why != "" {
		return why
	}
	alone := judge.Alone(view)
	for _, token := range slices.Sorted(maps.Keys(alone)) {
		if holder := p.answering(token, d.Key.Kind); holder != nil && holder != have {
			return fmt.Sprintf("%s is taken by %s (%s), which stack %s did not make; choose another", alone[token], printable.Name(holder.Name), holder.ID, p.Stack)
		}
	}
	return ""
}

// answering finds an object of others in a collection by a token that it answers to. One of
// the stack's own may make way.
func (p *planner) answering(token, kindName string) *kind.Live[any] {
	if p.tokens == nil {
		p.tokens = map[string]map[string]*kind.Live[any]{}
	}
	index := p.tokens[kindName]
	if index == nil {
		index = map[string]*kind.Live[any]{}
		items := p.Have[kindName].Items
		for i := range items {
			for _, token := range items[i].Tokens {
				index[token] = &items[i]
			}
		}
		p.tokens[kindName] = index
	}
	holder := index[token]
	if holder == nil || holder.Phase == kind.Deleting {
		return nil
	}
	for _, text := range holder.Mark.Owners() {
		if o, ok := kind.ParseOwner(text); ok && o.Of(p.Stack) {
			return nil
		}
	}
	return holder
}
