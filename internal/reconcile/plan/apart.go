package plan

import (
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// apart refuses a step that would use exclusively what another stack has marked: attach its volume, take a snapshot of it, plug its port. Who writes the
// manifests of one stack of a project does not get at the data of another one by an import. What is only read is not used.
func (p *planner) apart(s Step, d *kind.Desired) Step {
	if p.Others || s.Action != Create && s.Action != Update && s.Action != Recreate {
		return s
	}
	for _, ref := range d.Refs {
		target, live := p.byKey[ref.Key], p.live[ref.Key]
		if ref.Order || ref.Reads || target == nil || !target.Unmanaged || live == nil || !p.kinds[ref.Key.Kind].Info.Exclusive {
			continue
		}
		if stack := p.otherStack(live); stack != "" {
			s.Error = true
			delete(p.doomed, d.Key)
			return s.withAction(Refuse, cause.Of(cause.UsedApart, ref.Field, called(live), printable.Name(stack), p.Stack))
		}
	}
	return s
}

// otherStack is the stack that an object is marked by; "" where that is this one, or none.
func (w *world) otherStack(l *kind.Live) string {
	if l.Mark == nil || l.Copied != "" {
		return ""
	}
	for _, owner := range []string{l.Mark.Owner, l.Mark.Rivals} {
		if o, ok := kind.ParseOwner(owner); ok && !o.Of(w.Stack) {
			return o.Stack
		}
	}
	return ""
}
