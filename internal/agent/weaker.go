package agent

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/source"
)

// weaker are the policies of the revision that is applied, and of a newer one that
// was refused: to suspend a stack the rest of a commit need not be right.
func (s *Loop) weaker(rev, newest source.Revision) []plan.Policy {
	if s.Weaker == nil {
		return nil
	}
	list, err := s.Weaker(rev.Files)
	if err != nil { // it was read a moment ago
		list = append(list, guard.Suspend("its settings cannot be read: "+err.Error()))
	}
	if newest.Commit == rev.Commit {
		return list
	}
	more, err := s.Weaker(newest.Files)
	if err != nil {
		return list // it is reported with what else is wrong
	}
	return append(list, more...)
}
