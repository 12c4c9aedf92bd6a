package plan

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

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
