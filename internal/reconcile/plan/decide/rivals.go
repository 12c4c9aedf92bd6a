package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// Rivals returns a problem for each object of a repository that claims the same exclusive value as another one, as far as the manifests
// show it. If neither of the two exists in the cloud, a plan refuses both. If one exists, the plan refuses the other one.
func Rivals(kinds []*kind.Kind, want []kind.Desired) (list []manifest.Problem) {
	p := plannerWithoutCloud(kinds, want)
	p.holders = p.findHolders()
	for i := range want {
		d := &want[i]
		k := p.KindOf[d.Key.Kind]
		if k == nil || k.ExclusiveClaims == nil || d.Spec == nil || d.Virtual || d.Unmanaged || d.Options.Suspend {
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

// Views returns a function that converts a desired object to the form that its kind gets, while nothing is known of the cloud.
func Views(kinds []*kind.Kind, want []kind.Desired) func(d *kind.Desired) kind.Want {
	p := plannerWithoutCloud(kinds, want)
	return func(d *kind.Desired) kind.Want { return p.view(d, d.Spec) }
}

// plannerWithoutCloud returns a planner for a repository and an empty cloud.
func plannerWithoutCloud(kinds []*kind.Kind, want []kind.Desired) *planner {
	in := world.Input{Stack: "validate", Kinds: kinds, Want: want, Have: kind.Snapshot{}}
	for _, k := range kinds {
		in.Have[k.Info.Kind] = kind.Collection{}
	}
	return newPlanner(in)
}
