package plan

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

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

// fingerprint returns a print of the step with all details that change the plan's hash.
func (s Step) fingerprint() Print {
	changes := slices.Clone(s.Changes)
	slices.SortStableFunc(changes, func(a, b kind.Change) int { return cmp.Compare(a.Field, b.Field) })
	all := checksum.New("exact")
	all.Add(s.Key.Group, s.Key.String(), string(s.Action), s.ID())
	for _, c := range changes {
		all.Add(c.Field, resolve.Canonical(c.Have), resolve.Canonical(c.Want), c.Disruption.String(), c.Way)
	}
	all.AddSums(s.Bound.whole())
	return all.Sum()
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

// fingerprints returns the prints that an approval of the step approves. The argument of is the sum of the manifest that the approval binds.
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

func (s Step) print(stack, deed, id string, of checksum.Sum) Print {
	all := checksum.New("step")
	all.Add(stack, s.Key.Group, s.Key.String(), deed, id)
	all.AddSums(of)
	return all.Sum()
}
