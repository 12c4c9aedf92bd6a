package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// Rivals are the objects of a repository that ask for something that only one object can have, as far as the manifests show it. If the cloud has
// neither of a pair, a plan refuses both. If it has one, the plan refuses the other one.
func Rivals(kinds []*kind.Kind, want []kind.Desired) (list []manifest.Problem) {
	p := without(kinds, want)
	p.holders = p.findHolders()
	for i := range want {
		d := &want[i]
		k := p.KindOf[d.Key.Kind]
		if k == nil || k.ExclusiveClaims == nil || d.Spec == nil || d.Virtual || d.Unmanaged || d.Absent() || d.Options.Suspend {
			continue
		}
		for _, c := range k.ExclusiveClaims(p.view(d, d.Spec)) {
			if other := p.rival(d, c); other != nil {
				list = append(list, manifest.Problem{Origin: d.Origin, Key: d.Key, Field: c.Field, What: claimCause(c, rivalText(other, c)).String()})
			}
		}
	}
	return list
}

// Views returns the form in which its kind sees a desired object, while nothing is known of the cloud.
func Views(kinds []*kind.Kind, want []kind.Desired) func(d *kind.Desired) kind.Want {
	p := without(kinds, want)
	return func(d *kind.Desired) kind.Want { return p.view(d, d.Spec) }
}

// without is a planner for a repository while nothing is known of the cloud.
func without(kinds []*kind.Kind, want []kind.Desired) *planner {
	in := world.Input{Stack: "validate", Kinds: kinds, Want: want, Have: kind.Snapshot{}}
	for _, k := range kinds {
		in.Have[k.Info.Kind] = kind.Collection{}
	}
	return newPlanner(in)
}
