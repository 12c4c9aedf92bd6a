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
	// Commit is the merged commit that the approved plan was made for. If its pass is interrupted, the rest of the plan may go on. While it is "", as
	// it is before the merge, only exactly this plan is approved.
	Commit string
	// Proof says what the hash stands for. Without it, the rest of the plan is unknown.
	Proof Proof
	// Standing is true when the approval is read again each time, such as one on a pull request. Where every change waits for an approval, it covers
	// what the pull request contained, and no later drift.
	Standing bool
}

// Proof says what a hash stands for, so that anybody can check it. A service that stores it for the agent cannot add a step without changing the
// hash.
type Proof struct {
	Exact Print   // of the writing steps, as they are
	Steps []Print // the result of [Plan.Fingerprints]
}

// Print is a SHA-256 of a step, or of several.
type Print = checksum.Sum

// Proof is the input of the plan's hash.
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
	return Proof{Exact: all.Sum(), Steps: p.Fingerprints()}
}

// Hash is the hash of the plan with this proof for a stack: 64 hexadecimal digits. People approve it, and nobody can make two plans with the same
// hash.
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

// Fingerprints stand for what the plan would do, sorted. A person who approves the plan approves these.
//
//	step               prints
//	-----------------  ------------------------------------------------------
//	create, update     the key is changed to this manifest, disk and ID kept
//	  with a reboot    the same, with reboots
//	  wiping a disk    this disk is wiped for this manifest; the same, with reboots
//	  losing something the same as wiping a disk
//	replace            this object goes for this manifest; the same, with reboots
//	delete             this object is deleted
//	detach             this object is detached
//	surplus copy       none: it needs no approval
//	spare member       none: it was to be deleted when it was made
//
// An interrupted replacement goes on as a creation, and a creation as an update. So the rest of a plan has no prints that the plan does not have.
func (p Plan) Fingerprints() []Print {
	var prints []Print
	for _, s := range p.Steps {
		prints = append(prints, s.fingerprints(p.Stack, s.Bound.whole())...)
		if s.Follows && !s.Action.Writes() { // it will write, but the plan does not show that while the object that it follows has the old ID
			prints = append(prints, s.print(p.Stack, "write", "", s.Bound.whole()))
		}
	}
	slices.SortFunc(prints, comparePrints)
	return slices.Compact(prints)
}

// fingerprints are what an approval of the step allows. of is the sum that is bound of its manifest.
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

// needs are the prints of which one has to be approved to allow the step.
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

// Covers reports whether everything that the plan would do was approved: it is exactly the approved plan, or the rest of it at the same commit.
func (a Approval) Covers(p Plan) bool {
	if a.Standing && p.Manual != "" && slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Drift && s.Action.Writes() }) {
		return false
	}
	return a.Hash == p.Hash() || a.rest(p) && len(a.missing(p)) == 0
}

// rest reports whether the approval covers the rest of its plan.
func (a Approval) rest(p Plan) bool {
	return a.Commit != "" && a.Commit == p.Commit && len(a.Proof.Steps) > 0 && a.Proof.Hash(p.Stack) == a.Hash
}

// missing are the steps of the plan that were not approved.
func (a Approval) missing(p Plan) (list []Step) {
	for _, s := range p.Steps {
		needs := s.needs(p.Stack)
		if len(needs) > 0 && !slices.ContainsFunc(needs, func(print Print) bool { return slices.Contains(a.Proof.Steps, print) }) {
			list = append(list, s)
		}
	}
	return list
}

// Unapproved says why none of the approvals lets the plan through: which steps the nearest of them does not contain.
func (p Plan) Unapproved(approved []Approval) cause.Cause {
	var near Approval
	var grown []Step
	for _, a := range approved {
		if missing := a.missing(p); a.rest(p) && (near.Hash == "" || len(missing) < len(grown)) {
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
