package plan

import "github.com/stackreeve/stackreeve/internal/checksum"

// Bound has the checksums of a step's manifest that an approval binds. They cover everything that a commit can change about the object,
// including secrets, and the objects of the cloud that it imports.
type Bound struct {
	Sum checksum.Sum
	// SumWithoutImports is the same checksum without the imported objects. So if an import had found no object when the plan was approved, the approval
	// also covers the object that the import finds later.
	SumWithoutImports checksum.Sum
}

// whole returns Sum; zero for a step without a manifest.
func (b *Bound) whole() checksum.Sum {
	if b == nil {
		return checksum.Sum{}
	}
	return b.Sum
}

// forms returns the sums that an approval of the step may contain.
func (b *Bound) forms() []checksum.Sum {
	if b == nil || b.SumWithoutImports == b.Sum {
		return []checksum.Sum{b.whole()}
	}
	return []checksum.Sum{b.Sum, b.SumWithoutImports}
}
