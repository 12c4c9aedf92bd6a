package preflight

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// LikelyRefusal is a request that clouds refuse by default, by a policy that operators can change.
type LikelyRefusal struct {
	Why  string
	Keys []manifest.Key // the new objects that need the request
}

// LikelyRefusals returns the reasons why the cloud may refuse new objects of a plan, in the order of the plan.
func LikelyRefusals(p plan.Plan, kinds []*kind.Kind) (list []LikelyRefusal) {
	byName, at := map[string]*kind.Kind{}, map[string]int{}
	for _, k := range kinds {
		byName[k.Info.Kind] = k
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		k := byName[s.Key.Kind]
		if k == nil || k.LikelyRefusal == nil || !creates(s) {
			continue
		}
		why := k.LikelyRefusal(s.View())
		if why == "" {
			continue
		}
		n, known := at[why]
		if !known {
			n = len(list)
			at[why] = n
			list = append(list, LikelyRefusal{Why: why})
		}
		list[n].Keys = append(list[n].Keys, s.Key)
	}
	return list
}

// Cause returns the cause with the first few objects, the number of the others, and the reason why the cloud may refuse them.
func (d LikelyRefusal) Cause() cause.Cause {
	return cause.Of(cause.Doubtful, manifest.Listed(d.Keys), d.Why)
}
