package plan

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Doubt is a request that clouds refuse by default, by a policy that operators can change.
type Doubt struct {
	Why  string
	Keys []manifest.Key // of those that are made, and ask for it
}

// Doubts are the reasons why the cloud may refuse what the plan makes, in the order of the plan.
func (p Plan) Doubts(kinds []*kind.Kind) (list []Doubt) {
	byName, at := map[string]*kind.Kind{}, map[string]int{}
	for _, k := range kinds {
		byName[k.Info.Kind] = k
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		k := byName[s.Key.Kind]
		if k == nil || k.Doubtful == nil || s.Action != Create && s.Action != Recreate {
			continue
		}
		why := k.Doubtful(s.View())
		if why == "" {
			continue
		}
		n, known := at[why]
		if !known {
			n = len(list)
			at[why] = n
			list = append(list, Doubt{Why: why})
		}
		list[n].Keys = append(list[n].Keys, s.Key)
	}
	return list
}

// doubtful says why the cloud may refuse another one in place of an object, which is deleted first; "" for nothing. There is no
// doubt where the cloud has made that of the same manifest, and none counts where the object's own annotation allows to replace it,
// or nobody could use it yet.
func (w *world) doubtful(d *kind.Desired, s Step) string {
	k := w.kinds[d.Key.Kind]
	if k == nil || k.Doubtful == nil || s.unused || d.Options.Replace != nil && *d.Options.Replace || w.applied(d, s.have.Mark) {
		return ""
	}
	return k.Doubtful(s.View())
}

// String names the first of the objects, and why the cloud may refuse them.
func (d Doubt) String() string { return listed(d.Keys) + ": " + d.Why }
