package decide

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// decideImport finds the one existing object that an unmanaged manifest imports.
func (p *planner) decideImport(s plan.Step, d *kind.Desired) plan.Step {
	for _, ref := range d.Refs {
		if !p.ready(ref.Key) {
			s.Awaits = append(s.Awaits, ref.Key)
			return s.WithAction(plan.Wait, cause.Of(cause.WaitsFor, ref.Key))
		}
	}
	found := p.candidates(d)
	if left := p.firstOrphan(found); left != nil && len(found) == 1 {
		// Objects that already refer to it are not changed. New objects are not created with a reference to it.
		s.Error, s.Have = true, left
		p.found.Live[d] = left
		p.found.Imports[left] = append(p.found.Imports[left], d.Key)
		return s.WithAction(plan.Refuse, p.firstOrphanText(left))
	}
	switch {
	case len(found) == 0:
		s.Error, s.Obstacle = true, plan.NotYet
		if d.Import.ID != "" {
			s.Obstacle = plan.Never
		}
		return s.WithAction(plan.Wait, p.nothingFound(d))
	case len(found) > 1:
		s.Error, s.Obstacle = true, plan.Ambiguous
		return s.WithAction(plan.Refuse, p.severalFound(d, found))
	}
	s.Have = found[0]
	p.noteFound(d, found[0])
	p.found.Imports[found[0]] = append(p.found.Imports[found[0]], d.Key)
	if found[0].Phase == kind.Failed {
		s.Error, s.Obstacle = true, plan.NotYet
		return s.WithAction(plan.Refuse, cause.Of(cause.ImportFailed, liveText(found[0]), found[0].Message))
	}
	if !p.found.Ready[d] {
		return s.WithAction(plan.Wait, cause.Of(cause.Phase, string(found[0].Phase), found[0].Message))
	}
	return s.WithAction(plan.Keep)
}

// firstOrphan returns an object that the stack created for a manifest that is gone now. If it were imported, the stack would silently stop
// managing it. An object that was kept on purpose (see [kind.Mark.Keep]) may be imported like any other.
func (w worldReader) firstOrphan(found []*kind.Live) *kind.Live {
	for _, item := range found {
		if item.Mark == nil || !item.InOwnProject || item.Mark.Keep || item.Copied != "" || item.Mark.Rivals != "" {
			continue
		}
		o, ok := ownertext.Parse(item.Mark.Owner)
		if !ok || !o.Of(w.Stack) || o.Kind == item.AlsoListedAs {
			continue
		}
		if d := w.ByOwner[item.Mark.Owner]; d == nil || d.Unmanaged {
			return item
		}
	}
	return nil
}

func (w worldReader) firstOrphanText(item *kind.Live) cause.Cause {
	o, _ := ownertext.Parse(item.Mark.Owner)
	key := w.orphanKey(o, item)
	return cause.Of(cause.LeftBehind, liveText(item), key, resolve.AnnotationDelete)
}

func (p *planner) candidates(d *kind.Desired) []*kind.Live {
	x := p.Cloud.Collection(d.Key.Kind)
	if d.Import.ID != "" {
		if item := x.Find(d.Import.ID, d.Entry); item != nil {
			return []*kind.Live{item}
		}
		return nil
	}
	var found []*kind.Live
	k, w := p.KindOf[d.Key.Kind], p.view(d, d.Import.Filter)
	for _, item := range p.Have[d.Key.Kind].Items {
		if seen := item.SeenBy(d.Entry); seen != nil && k.Match(w, seen.State) {
			found = append(found, item)
		}
	}
	if moves(d) {
		return newestOf(found, trusts(d))
	}
	return found
}

// maxCompared is how many names of the cloud a plan compares with missing names to suggest a similar one. maxName is the length to which
// a missing name is cut.
const (
	maxCompared = 20_000
	maxName     = 255
)

func (p *planner) nothingFound(d *kind.Desired) cause.Cause {
	kind := strings.ToLower(d.Key.Kind)
	if d.Import.ID != "" {
		return cause.Of(cause.NoID, kind, d.Import.ID)
	}
	if d.Import.Hint != "" {
		return cause.Of(cause.NoSuch, kind, d.Import.Hint)
	}
	wanted := d.Import.Named()
	if wanted == "" {
		return cause.Of(cause.NoMatch, kind)
	}
	wanted = printable.Clip(wanted, maxName)
	none := func(then cause.Cause) cause.Cause { return cause.Of(cause.NoName, kind, printable.Name(wanted), then) }
	items := p.Have[d.Key.Kind].Items
	if p.compared += len(items); p.compared > maxCompared || p.private(d) {
		return none(cause.Of(cause.CorrectName))
	}
	names := make([]string, len(items))
	for i := range items {
		names[i] = items[i].Name
	}
	if near := nearest.Names(wanted, names, 3); len(near) > 0 {
		for i := range near {
			near[i] = printable.Name(near[i])
		}
		return none(cause.Of(cause.NearestNames, strings.Join(near, ", ")))
	}
	return none(cause.Of(cause.CorrectName))
}

// private reports whether messages must not contain names of the kind's objects. Objects of a privileged kind belong to the whole cloud,
// and every author of manifests can read the plan.
func (w worldReader) private(d *kind.Desired) bool {
	return w.KindOf[d.Key.Kind].Info.Scope == kind.OfCloud
}

func (w worldReader) severalFound(d *kind.Desired, found []*kind.Live) cause.Cause {
	var names []string
	for _, item := range found {
		names = append(names, printable.Name(item.Name)+" ("+item.ID+")")
	}
	slices.Sort(names)
	if len(names) > 5 {
		names = append(names[:5], "…")
	}
	fix := remedy(d.Import.Hint, cause.NarrowImport)
	if w.private(d) {
		return cause.Of(cause.ManyMatch, len(found), fix)
	}
	return cause.Of(cause.ManyNamed, len(found), strings.Join(names, ", "), fix)
}

// remedy returns text, the fix that a kind gives. If the kind gives none, it returns the fix with the code fallback.
func remedy(text string, fallback cause.Code) cause.Cause {
	if text != "" {
		return cause.Of(cause.Kind, text)
	}
	return cause.Of(fallback)
}
