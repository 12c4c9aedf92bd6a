package session

import (
	"reflect"
	"sync"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// maxRules is how many sets of kinds are kept. Stacks with further defaults make their own.
const maxRules = 16

// rules are the kinds without a cloud, with which manifests are read. They depend on a stack's defaults only, so that a thousand stacks of
// one document use one set of them. The zero value can be used; nil keeps nothing.
type rules struct {
	mu   sync.Mutex
	sets []ruleSet
}

type ruleSet struct {
	of    defaults.Defaults
	kinds []*kind.Kind
}

// kinds returns the kinds for defaults. Nobody may change them.
func (r *rules) kinds(of defaults.Defaults) []*kind.Kind {
	if r == nil {
		return all.Kinds(nil, of)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, set := range r.sets {
		if reflect.DeepEqual(set.of, of) {
			return set.kinds
		}
	}
	made := all.Kinds(nil, of)
	if len(r.sets) < maxRules {
		r.sets = append(r.sets, ruleSet{of, made})
	}
	return made
}
