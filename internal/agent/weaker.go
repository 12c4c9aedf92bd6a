package agent

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/source"
)

// policiesOf returns the policies of the applied revision, and those of a newer revision that was refused. So a commit can suspend a stack
// even if its other files are wrong.
func (s *Loop) policiesOf(rev, newest source.Revision) []plan.Policy {
	if s.Weaker == nil {
		return nil
	}
	list, err := s.Weaker(rev.Files)
	if err != nil { // unlikely, because Read has just accepted these files
		list = append(list, guard.Suspend("its settings cannot be read: "+err.Error()))
	}
	if newest.Commit == rev.Commit {
		return list
	}
	more, err := s.Weaker(newest.Files)
	if err != nil {
		return list // the error is reported with the commit's other problems
	}
	return append(list, more...)
}
