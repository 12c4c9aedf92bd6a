package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Approval is a person's leave for the one plan that has its hash.
type Approval struct {
	// Hash is that of the plan, as [Plan.Hash] gives it.
	Hash string
	// By is who approved, for people.
	By string
	// Commit is the merged commit that the plan of that hash was made for: when its
	// pass is interrupted, the rest of it may go on. While it is "", as for whatever
	// is not merged, nothing but the very plan is approved.
	Commit string
	// Proof says what the hash stands for; without it nobody knows what the rest is.
	Proof Proof
	// Standing is true when it is read again whenever it is wanted, such as one on a
	// pull request. Where every change waits for an approval it is good for what that
	// contained, and not for drift that comes later.
	Standing bool
}

// Proof says what a hash stands for, so that anybody can check it: who keeps
// it for us cannot add a step without making another hash of it.
type Proof struct {
	Exact string   // a digest of the writing steps, whole
	Steps []string // what [Plan.Fingerprints] gave
}

// Proof is what the plan's hash is made of.
func (p Plan) Proof() Proof {
	var lines []string
	for _, s := range p.Steps {
		if s.Action.Writes() {
			lines = append(lines, s.fingerprint())
		}
	}
	slices.Sort(lines)
	return Proof{Exact: digest(lines...), Steps: p.Fingerprints()}
}

// Hash is that of the plan of a stack which has this proof.
func (p Proof) Hash(stack string) string {
	return digest(append([]string{stack, p.Exact}, p.Steps...)...)
}

// digest is 32 hexadecimal digits: people are given it to approve of, and nobody
// can make two plans that share one.
func digest(lines ...string) string {
	text, err := json.Marshal(lines) // "a", "b" must differ from "a\nb"
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:HashDigits/2])
}

// HashDigits is how long a plan's hash is.
const HashDigits = 32

// Fingerprints are short digests of what the plan would do, sorted: 16
// hexadecimal digits each. Anyone who approves of the plan approves of these.
//
//	step               prints
//	-----------------  ------------------------------------------------------
//	create, update     the key is changed to this manifest, disk and ID kept
//	  with a reboot    the same, with reboots
//	  wiping a disk    this disk is wiped for this manifest; the same, with reboots
//	  losing something the same as wiping a disk
//	replace            this object goes for this manifest; the same, with reboots
//	delete             this object goes
//	detach             this object is let go
//	surplus copy       none: it goes without anybody's leave
//	spare member       none: it was to go when it was made
//
// A replacement that was interrupted goes on as a creation, and a creation as
// an update: what is left of a plan has no prints that the plan has not.
func (p Plan) Fingerprints() []string {
	var prints []string
	for _, s := range p.Steps {
		prints = append(prints, s.fingerprints(p.Stack)...)
	}
	prints = append(prints, p.followers()...)
	slices.Sort(prints)
	return slices.Compact(prints)
}

// fingerprints are what an approval of the step allows.
func (s Step) fingerprints(stack string) []string {
	if !s.Action.Writes() || s.surplus || s.spare {
		return nil
	}
	switch d, harms := s.Harm(); {
	case s.Action == Delete:
		return []string{s.print(stack, "delete", s.ID())}
	case s.Action == Detach:
		return []string{s.print(stack, "detach", s.ID())}
	case d == kind.Replace:
		return []string{s.print(stack, "replace", s.ID()), s.print(stack, "reboot", "")}
	case d == kind.Rebuild, harms && s.Action == Update:
		return []string{s.print(stack, "wipe", s.ID()), s.print(stack, "reboot", "")}
	case d == kind.Reboot:
		return []string{s.print(stack, "reboot", "")}
	default:
		return []string{s.print(stack, "write", "")}
	}
}

// followers are the prints of what will have to follow an object that gets a new
// ID: the plan does not show it while the object still has the old one.
func (p Plan) followers() (prints []string) {
	moved := map[string]bool{}
	for _, s := range p.Steps {
		if s.Action == Recreate {
			moved[s.Key.String()] = true
		}
	}
	for _, s := range p.Steps {
		if s.want != nil && !s.Action.Writes() && slices.ContainsFunc(s.want.Refs, func(r kind.RefSpec) bool { return moved[r.Key.String()] }) {
			prints = append(prints, s.print(p.Stack, "write", ""))
		}
	}
	return prints
}

// needs are the prints any of which allows the step.
func (s Step) needs(stack string) []string {
	prints := s.fingerprints(stack)
	switch {
	case len(prints) == 0:
		return nil
	case s.Action == Create, s.Action == Update && s.Disruption() == kind.InPlace && !slices.ContainsFunc(s.Changes, destroys):
		return append(prints, s.print(stack, "reboot", ""))
	}
	return prints[:1]
}

func (s Step) print(stack, deed, id string) string {
	var digest string
	if s.want != nil {
		digest = s.digest
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{stack, s.Key.Group, s.Key.String(), deed, id, digest}, "\n")))
	return hex.EncodeToString(sum[:])[:16]
}

// Covers reports whether everything the plan would do was approved: it is the very
// plan, or what is left of it at the one commit whose pass it was.
func (a Approval) Covers(p Plan) bool {
	if a.Standing && p.Manual != "" && slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Drift && s.Action.Writes() }) {
		return false
	}
	return a.Hash != "" && a.Hash == p.Hash() || a.rest(p) && len(a.missing(p)) == 0
}

// rest reports whether the approval is good for what is left of its plan.
func (a Approval) rest(p Plan) bool {
	return a.Commit != "" && a.Commit == p.Commit && len(a.Proof.Steps) > 0 && a.Proof.Hash(p.Stack) == a.Hash
}

// missing are the steps of the plan that were not approved.
func (a Approval) missing(p Plan) (list []Step) {
	for _, s := range p.Steps {
		needs := s.needs(p.Stack)
		if len(needs) > 0 && !slices.ContainsFunc(needs, func(print string) bool { return slices.Contains(a.Proof.Steps, print) }) {
			list = append(list, s)
		}
	}
	return list
}

// unapproved says why none of the approvals lets the plan through: what has
// come on top of the one that is nearest to it.
func (p Plan) unapproved(approved []Approval) string {
	var near Approval
	var grown []Step
	for _, a := range approved {
		if missing := a.missing(p); a.rest(p) && (near.Hash == "" || len(missing) < len(grown)) {
			near, grown = a, missing
		}
	}
	if last := approved[len(approved)-1]; last.Standing && last.Hash == p.Hash() {
		return fmt.Sprintf("%s was approved for the changes of its pull request, and not for what changed in the cloud since", last.Hash)
	}
	if near.Hash == "" {
		return fmt.Sprintf("the approved hash %s is not that of this plan", approved[len(approved)-1].Hash)
	}
	text := fmt.Sprintf("the plan has grown since %s was approved", near.Hash)
	if near.By != "" {
		text += " by " + near.By
	}
	text += fmt.Sprintf(": it would also %s %s", grown[0].Action, grown[0].Key)
	if more := len(grown) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
