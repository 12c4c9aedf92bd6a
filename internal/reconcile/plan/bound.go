package plan

import "github.com/stackreeve/stackreeve/internal/checksum"

// Bound is what an approval of a step binds of its manifest: all that a commit can change about the object, its secrets
// included, and which objects of the cloud its imports are.
type Bound struct {
	Sum checksum.Sum
	// Open is the same without what imports are: an approval of a plan that had found none is good for what is found by
	// what their manifests say.
	Open checksum.Sum
}

// whole is what is bound; nothing of a step without a manifest.
func (b *Bound) whole() checksum.Sum {
	if b == nil {
		return checksum.Sum{}
	}
	return b.Sum
}

// forms are the sums by which an approval may have bound it.
func (b *Bound) forms() []checksum.Sum {
	if b == nil || b.Open == b.Sum {
		return []checksum.Sum{b.whole()}
	}
	return []checksum.Sum{b.Sum, b.Open}
}
