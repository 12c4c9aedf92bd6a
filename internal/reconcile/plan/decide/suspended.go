package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// suspendedOver is the suspended object that something without a manifest was a part of; zero for none.
func (w given) suspendedOver(o kind.Owner, item *kind.Live) manifest.Key {
	key := w.orphanKey(o, item)
	for _, s := range w.Suspended {
		if here := o.Name == "" || key.Namespace == s.Key.Namespace; here && s.Had(key) {
			return s.Key
		}
	}
	return manifest.Key{}
}
