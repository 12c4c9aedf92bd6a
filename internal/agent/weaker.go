package agent

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/source"
)

// weaker returns the policies of the applied revision and of a newer, refused one. A commit can suspend a stack even if the rest of it is
// wrong.
func (s *Loop) weaker(rev, newest source.Revision) []plan.Policy {
	if s.Weaker == nil {
		return nil
	}
	list, err := s.Weaker(rev.Files)
	if err != nil { // it could be read a moment ago
		list = append(list, guard.Suspend("its settings cannot be read: "+err.Error()))
	}
	if newest.Commit == rev.Commit {
		return list
	}
	more, err := s.Weaker(newest.Files)
	if err != nil {
		return list // it is reported with the commit's other problems
	}
	return append(list, more...)
}
