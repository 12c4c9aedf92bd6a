package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// refused is what the group of an object went back from, where the object is the one that remembers it.
func (w given) refused(d *kind.Desired) string {
	for _, f := range w.Fallbacks {
		if f.Noted == d.Key {
			return f.Refused
		}
	}
	return ""
}
