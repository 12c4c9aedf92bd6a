package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// doubtful says why the cloud may refuse another one in place of an object, which is deleted first; "" for nothing. There is no
// doubt where the cloud has made that of the same manifest, and none counts where the object's own annotation allows to replace it,
// or nobody could use it yet.
func (w given) doubtful(d *kind.Desired, s plan.Step) string {
	k := w.KindOf[d.Key.Kind]
	if k == nil || k.Doubtful == nil || s.Unused || d.Options.Replace != nil && *d.Options.Replace || w.Applied(d, s.Have.Mark) {
		return ""
	}
	return k.Doubtful(s.View())
}
