package decide

import (
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// refuseForeignUse refuses a step that would use an object with the mark of another stack exclusively, for example attach its volume, take a snapshot
// of it or plug its port. Otherwise an author of manifests could read the data of another stack in the project through an import. A
// reference that only reads values is allowed.
func (p *planner) refuseForeignUse(s plan.Step, d *kind.Desired) plan.Step {
	if p.UseForeign || s.Action != plan.Create && s.Action != plan.Update && s.Action != plan.Recreate {
		return s
	}
	for _, ref := range d.Refs {
		target := p.ByKey[ref.Key]
		live := p.found.Live[target]
		if ref.Order || ref.Reads || target == nil || !target.Unmanaged || live == nil || !p.KindOf[ref.Key.Kind].Info.Exclusive {
			continue
		}
		if stack := p.otherStack(live); stack != "" {
			s.Error = true
			delete(p.found.GetsNewID, d.Key)
			return s.WithAction(plan.Refuse, cause.Of(cause.UsedApart, ref.Field, liveText(live), printable.Name(stack), p.Stack))
		}
	}
	return s
}

// otherStack returns the stack whose mark an object has; "" if the object has no mark, or only marks of this stack.
func (w worldReader) otherStack(l *kind.Live) string {
	if l.Mark == nil || l.Copied != "" {
		return ""
	}
	for _, owner := range []string{l.Mark.Owner, l.Mark.Rivals} {
		if o, ok := ownertext.Parse(owner); ok && !o.Of(w.Stack) {
			return o.Stack
		}
	}
	return ""
}
