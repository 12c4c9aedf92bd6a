package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// Rivals are the objects of a repository that ask for what only one object can have, as far as the manifests show it. Where
// the cloud has nothing of a pair, a plan refuses both; otherwise the one that is not there.
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

// Views gives the desired objects of a repository the shape in which their kinds see them while nothing is known of the cloud.
func Views(kinds []*kind.Kind, want []kind.Desired) func(d *kind.Desired) kind.Want {
	p := without(kinds, want)
	return func(d *kind.Desired) kind.Want { return p.view(d, d.Spec) }
}

// without is what there is to decide of a repository while nothing is known of the cloud.
func without(kinds []*kind.Kind, want []kind.Desired) *planner {
	in := world.Input{Stack: "validate", Kinds: kinds, Want: want, Have: kind.Snapshot{}}
	for _, k := range kinds {
		in.Have[k.Info.Kind] = kind.Collection{}
	}
	return newPlanner(in)
}
