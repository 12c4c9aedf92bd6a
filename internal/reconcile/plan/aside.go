package plan

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// differences tells how the object itself differs, whatever its annotations ignore.
func (p *planner) differences(d *kind.Desired, have *kind.Live[any]) []kind.Change {
	c := p.kinds[d.Key.Kind].Diff(p.view(d, d.Spec), have.State)
	return c.List()
}
