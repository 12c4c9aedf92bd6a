package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Approval is a person's permission for the one plan that has its hash.
type Approval struct {
	// Hash is the hash of the plan, see [Plan.Hash].
	Hash string
	// By is the name of the person who approved, for messages.
	By string
	// Commit is the merged commit that the approved plan was made for. If the pass for that commit is interrupted, the rest of the plan is
	// approved, too. Commit is "" before the merge. Then only exactly this plan is approved.
	Commit string
	// Proof is the input of the hash. Without it, the steps of the approved plan are unknown.
	Proof Proof
	// Standing is true if the approval stays valid for later passes, such as an approval on a pull request. If every change waits for an
	// approval, a standing one covers the changes of the pull request, but no later drift.
	Standing bool
}

// needs returns the prints (see [Print]) of which at least one has to be approved before the step is allowed.
func (s Step) needs(stack string) (needs []Print) {
	for _, of := range s.Bound.forms() {
		prints := s.fingerprints(stack, of)
		switch {
		case len(prints) == 0:
			return nil
		case s.Action == Create, s.Action == Update && s.Disruption() == kind.InPlace && !slices.ContainsFunc(s.Changes, destroys):
			needs = append(append(needs, prints...), s.print(stack, "reboot", "", of))
		default:
			needs = append(needs, prints[0])
		}
	}
	return needs
}

// Covers reports whether all steps of the plan were approved. It is true for exactly the approved plan, and for the rest of that plan at
// the same commit.
func (a Approval) Covers(p Plan) bool {
	if a.Standing && p.Manual != "" && slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Drift && s.Action.Writes() }) {
		return false
	}
	return a.Hash == p.Hash() || a.coversRest(p) && len(a.missing(p)) == 0
}

// coversRest reports whether the approval also covers the remaining steps of its plan, and p is at the approved commit.
func (a Approval) coversRest(p Plan) bool {
	return a.Commit != "" && a.Commit == p.Commit && len(a.Proof.Steps) > 0 && a.Proof.Hash(p.Stack) == a.Hash
}

// missing returns the steps of the plan that were not approved.
func (a Approval) missing(p Plan) (list []Step) {
	for _, s := range p.Steps {
		needs := s.needs(p.Stack)
		if len(needs) > 0 && !slices.ContainsFunc(needs, func(print Print) bool { return slices.Contains(a.Proof.Steps, print) }) {
			list = append(list, s)
		}
	}
	return list
}

// Unapproved says why none of the approvals covers the plan. If several approvals are for this commit, it is about the one in which the
// fewest steps are missing. It names the first of these steps, and how many more there are.
func (p Plan) Unapproved(approved []Approval) cause.Cause {
	var near Approval
	var grown []Step
	for _, a := range approved {
		if missing := a.missing(p); a.coversRest(p) && (near.Hash == "" || len(missing) < len(grown)) {
			near, grown = a, missing
		}
	}
	last := approved[len(approved)-1]
	switch {
	case last.Standing && last.Hash == p.Hash():
		return cause.Of(cause.NotSince, last.Hash)
	case near.Hash == "":
		return cause.Of(cause.WrongApproval, last.Hash)
	}
	was := cause.Of(cause.Approved, near.Hash)
	if near.By != "" {
		was = cause.Of(cause.ApprovedBy, near.Hash, near.By)
	}
	more := cause.Of(cause.Grown, was, grown[0].Action, grown[0].Key)
	if n := len(grown) - 1; n > 0 {
		return cause.Of(cause.GrownMore, more, n)
	}
	return more
}
