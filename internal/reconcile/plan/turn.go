package plan

import (
	"cmp"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// turnOf is what objects inside a member's machine say of it: of several, it stays if one says so, and is last.
func (p *planner) turnOf(m *member) (t kind.Turn) {
	for _, s := range m.steps {
		if s.have == nil {
			continue
		}
		for _, user := range p.usersOf(s.have) {
			t.Stay, t.Last = cmp.Or(t.Stay, user.Turn.Stay), t.Last || user.Turn.Last
		}
	}
	return t
}
