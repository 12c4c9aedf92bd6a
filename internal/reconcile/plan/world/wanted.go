package world

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Wanted is the index of the desired objects of a stack. It depends only on these objects and on the name of the stack, so all plans of a pass
// share it. Nothing changes it.
type Wanted struct {
	ByKey   map[manifest.Key]*kind.Desired
	ByOwner map[string]*kind.Desired // the desired object of each owner text; never a virtual one under its present name
	stack   string
	want    []kind.Desired
}

// Index returns the index of desired objects. The objects must not change as long as the index is used.
func Index(stack string, want []kind.Desired) *Wanted {
	x := &Wanted{ByKey: make(map[manifest.Key]*kind.Desired, len(want)), ByOwner: make(map[string]*kind.Desired, len(want)), stack: stack, want: want}
	for i := range want {
		d := &want[i]
		x.ByKey[d.Key] = d
		if owner := ownertext.Of(stack, d.Key); x.ByOwner[owner] == nil && !d.Virtual {
			x.ByOwner[owner] = d
		}
	}
	for i := range want {
		for _, owner := range formerOwners(stack, &want[i]) {
			if x.ByOwner[owner] == nil {
				x.ByOwner[owner] = &want[i]
			}
		}
	}
	return x
}

// isOf reports whether x is the index of these objects: of the very same list, and not only of an equal one.
func (x *Wanted) isOf(stack string, want []kind.Desired) bool {
	return x != nil && x.stack == stack && len(x.want) == len(want) && (len(want) == 0 || &x.want[0] == &want[0])
}

// formerOwners returns the owner texts that d had under its former names.
func formerOwners(stack string, d *kind.Desired) []string {
	owners := make([]string, len(d.From))
	for i, key := range d.From {
		owners[i] = ownertext.Of(stack, key)
	}
	return owners
}
