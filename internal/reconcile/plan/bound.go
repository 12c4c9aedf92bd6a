package plan

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// bound is what an approval of a step binds of its manifest: all that a commit can change about the object, its secrets
// included, and which objects of the cloud its imports are.
type bound struct {
	sum kind.Sum
	// open is the same without what imports are: an approval of a plan that had found none is good for what is found by
	// what their manifests say.
	open kind.Sum
}

// whole is what is bound; nothing of a step without a manifest.
func (b *bound) whole() kind.Sum {
	if b == nil {
		return kind.Sum{}
	}
	return b.sum
}

// forms are the sums by which an approval may have bound it.
func (b *bound) forms() []kind.Sum {
	if b == nil || b.open == b.sum {
		return []kind.Sum{b.whole()}
	}
	return []kind.Sum{b.sum, b.open}
}

// bind works out what is approved of with each step that writes, or that follows an object which gets a new ID.
func (p *planner) bind() {
	moved := map[manifest.Key]bool{}
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == Recreate {
			moved[s.Key] = true
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.want == nil || s.surplus {
			continue
		}
		for _, ref := range s.want.Refs {
			s.follows = s.follows || moved[ref.Key]
		}
		if s.Action.Writes() || s.follows {
			s.bound = &bound{sum: p.boundSum(s.want, true), open: p.boundSum(s.want, false)}
		}
	}
}

// boundSum is of a manifest and, where found says so, of the objects that its imports are. What the stack makes has steps of
// its own.
func (p *planner) boundSum(d *kind.Desired, found bool) kind.Sum {
	all := kind.NewSums("bound")
	if d.Confidential.Secret != "" {
		all.AddSums(p.Printer.Sum(p.subject(d, "approved\n"+string(d.Sum[:]))))
	} else {
		all.AddSums(d.Sum)
	}
	for _, ref := range d.Refs {
		target := p.byKey[ref.Key]
		if live := p.live[ref.Key]; found && live != nil && target != nil && target.Unmanaged && target.Import != nil {
			all.Add(ref.Field, ref.Key.Group, ref.Key.String(), live.ID)
		}
	}
	return all.Sum()
}
