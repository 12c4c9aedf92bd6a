package plan

import "github.com/stackreeve/stackreeve/internal/checksum"

// Bound is what an approval of a step binds. It covers everything that a commit can change about the object, including secrets, and the objects of
// the cloud that its imports stand for.
type Bound struct {
	Sum checksum.Sum
	// Open is the same without the objects of imports. An approval of a plan in which an import had found nothing covers the object that the same
	// manifest finds later.
	Open checksum.Sum
}

// whole is the sum of everything that is bound; zero for a step without a manifest.
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
