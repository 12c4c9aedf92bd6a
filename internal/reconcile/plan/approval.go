package plan

import (
	"bytes"
	"encoding/hex"
	"slices"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Approval is a person's permission for the one plan that has its hash.
type Approval struct {
	// Hash is the hash of the plan, see [Plan.Hash].
	Hash string
	// By is the person who approved, for people.
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

// Proof is the input of a plan's hash, so that anybody can check the hash. A service that stores the proof for the agent cannot add a step
// without changing the hash.
type Proof struct {
	Exact Print   // print of all writing steps, exactly as planned
	Steps []Print // the result of [Plan.Fingerprints]
}

// Print is a SHA-256 of a step, or of several.
type Print = checksum.Sum

// Proof returns the input of the plan's hash.
func (p Plan) Proof() Proof {
	var prints []Print
	for _, s := range p.Steps {
		if s.Action.Writes() {
			prints = append(prints, s.fingerprint())
		}
	}
	slices.SortFunc(prints, comparePrints)
	all := checksum.New("steps")
	all.AddSums(prints...)
	if p.Limit != nil {
		all.Add(p.Limit.Targets...)
	}
	return Proof{Exact: all.Sum(), Steps: p.Fingerprints()}
}

// Hash returns the hash of the stack's plan with this proof: 64 hexadecimal digits. People approve a plan by its hash. Nobody can make two
// plans with the same hash.
func (p Proof) Hash(stack string) string {
	all := checksum.New("plan")
	all.Add(stack)
	all.AddSums(p.Exact)
	all.AddSums(p.Steps...)
	sum := all.Sum()
	return hex.EncodeToString(sum[:])
}

// HashDigits is the length of a plan's hash.
const HashDigits = 2 * len(Print{})

func comparePrints(a, b Print) int { return bytes.Compare(a[:], b[:]) }

// Fingerprints returns the prints of everything that the plan would do, sorted. A person who approves the plan approves these prints.
//
//	the step                          the actions that its prints approve
//	--------------------------------  -----------------------------------------------------------------------
//	create, or update in place        write this manifest to the object with the key, and keep its disk and ID
//	update with a reboot              the same, and reboot
//	update that wipes a disk          wipe this disk for this manifest, or update with a reboot
//	update that loses something       the same as an update that wipes a disk
//	replace                           delete this object for this manifest, or update with a reboot
//	delete                            delete this object
//	detach                            detach this object
//	any step of a surplus copy        no print, because the step needs no approval
//	any step of an unneeded spare     no print, because the spare was created only for a time
//
// If a replacement is interrupted, the next plan creates the object. If a creation is interrupted, the next plan updates the object. Both need no print
// that the first plan does not have.
func (p Plan) Fingerprints() []Print {
	var prints []Print
	for _, s := range p.Steps {
		prints = append(prints, s.fingerprints(p.Stack, s.Bound.whole())...)
		if s.FollowsReference && !s.Action.Writes() { // the step will write, but not before the object that it refers to has its new ID
			prints = append(prints, s.print(p.Stack, "write", "", s.Bound.whole()))
		}
	}
	slices.SortFunc(prints, comparePrints)
	return slices.Compact(prints)
}

// fingerprints returns the prints that an approval of the step approves. of is the sum of the manifest that the approval binds.
func (s Step) fingerprints(stack string, of checksum.Sum) []Print {
	if !s.Action.Writes() || s.Surplus || s.Spare {
		return nil
	}
	switch d, harms := s.Harm(); {
	case s.Action == Delete:
		return []Print{s.print(stack, "delete", s.ID(), of)}
	case s.Action == Detach:
		return []Print{s.print(stack, "detach", s.ID(), of)}
	case d == kind.Replace:
		return []Print{s.print(stack, "replace", s.ID(), of), s.print(stack, "reboot", "", of)}
	case d == kind.Rebuild, harms && s.Action == Update:
		return []Print{s.print(stack, "wipe", s.ID(), of), s.print(stack, "reboot", "", of)}
	case d == kind.Reboot:
		return []Print{s.print(stack, "reboot", "", of)}
	default:
		return []Print{s.print(stack, "write", "", of)}
	}
}

// needs returns the prints of which at least one has to be approved before the step is allowed.
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

func (s Step) print(stack, deed, id string, of checksum.Sum) Print {
	all := checksum.New("step")
	all.Add(stack, s.Key.Group, s.Key.String(), deed, id)
	all.AddSums(of)
	return all.Sum()
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

// Unapproved says why none of the approvals covers the plan. It names the steps that are missing in the approval with the fewest missing
// steps.
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
