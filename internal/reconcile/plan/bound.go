package plan

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Bound is what an approval of a step binds of its manifest: all that a commit can change about the object, its secrets
// included, and which objects of the cloud its imports are.
type Bound struct {
	Sum kind.Sum
	// Open is the same without what imports are: an approval of a plan that had found none is good for what is found by
	// what their manifests say.
	Open kind.Sum
}

// whole is what is bound; nothing of a step without a manifest.
func (b *Bound) whole() kind.Sum {
	if b == nil {
		return kind.Sum{}
	}
	return b.Sum
}

// forms are the sums by which an approval may have bound it.
func (b *Bound) forms() []kind.Sum {
	if b == nil || b.Open == b.Sum {
		return []kind.Sum{b.whole()}
	}
	return []kind.Sum{b.Sum, b.Open}
}
