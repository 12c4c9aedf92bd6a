package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

func (w worldReader) identities(d *kind.Desired) (list []kind.Identity) {
	for i, owner := range w.FormerOwners(d) {
		was := kind.Identity{Name: d.From[i].Name, Owner: owner, Holder: d.Confidential.Holder}
		if i < len(d.Confidential.Former) {
			was.Holder = d.Confidential.Former[i]
		}
		list = append(list, was)
	}
	return list
}

// formerKey returns the key that this stack created an object for, if that is not the key of d; zero otherwise.
func (w worldReader) formerKey(d *kind.Desired, have *kind.Live) manifest.Key {
	if have == nil || have.Mark == nil {
		return manifest.Key{}
	}
	if i := slices.Index(w.FormerOwners(d), have.Mark.Owner); i >= 0 {
		return d.From[i]
	}
	if o, ok := ownertext.Parse(have.Mark.Owner); ok && o.Of(w.Stack) && have.Mark.Owner != ownertext.Of(w.Stack, d.Key) {
		return w.orphanKey(o, have)
	}
	return manifest.Key{}
}

// renamings adds a hint to the deletion of an object if exactly one new object equals it except for its name. A person who renames a
// manifest may not know that this deletes the object. The hint also names a new object of the same kind that claims a value of the old one,
// such as its address.
func (p *planner) renamings() {
	if !slices.ContainsFunc(p.steps, isOrphanDeletion) {
		return
	}
	asking := p.newClaims()
	type likeness struct{ kind, digest string }
	alike := map[likeness][]manifest.Key{}
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == plan.Create && s.Want.Confidential.Secret == "" {
			at := likeness{s.Key.Kind, s.Want.Digest}
			alike[at] = append(alike[at], s.Key)
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if !isOrphanDeletion(*s) {
			continue
		}
		if keys := alike[likeness{s.Key.Kind, s.Have.Mark.Applied}]; len(keys) == 1 {
			s.Causes = s.Causes.And(cause.Of(cause.SameUnderName, keys[0], resolve.AnnotationMoved, s.Key))
			continue
		}
		for _, token := range s.Have.Tokens {
			if key, asks := asking[claimed{s.Key.Kind, token}]; asks {
				s.Causes = s.Causes.And(cause.Of(cause.AsksForTheSame, key, resolve.AnnotationMoved, s.Key))
				break
			}
		}
	}
}

// claimed is a value that only one object of a kind can have, as [kind.Claim.Token] writes it.
type claimed struct{ kind, token string }

// newClaims returns the new objects that claim such values, by value.
func (p *planner) newClaims() map[claimed]manifest.Key {
	asking := map[claimed]manifest.Key{}
	for i := range p.steps {
		s := &p.steps[i]
		k := p.KindOf[s.Key.Kind]
		if k == nil || k.ExclusiveClaims == nil || s.Action != plan.Create {
			continue
		}
		for _, c := range k.ExclusiveClaims(s.View()) {
			if token := c.Token(); token != "" && c.HolderKind == s.Key.Kind {
				asking[claimed{s.Key.Kind, token}] = s.Key
			}
		}
	}
	return asking
}

// isOrphanDeletion reports whether a step deletes an object because its manifest is gone, or would delete it if no other object used it.
func isOrphanDeletion(s plan.Step) bool {
	return (s.Action == plan.Delete || s.Action == plan.Refuse && s.InUse) && s.Want == nil && !s.Surplus
}
