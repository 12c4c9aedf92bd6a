package plan

import (
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// What was applied to an object is stored as a digest. One of an object with
// secrets would let them be guessed; it is a fingerprint instead.
//
//	an object          Mark.Applied; approvals bind more, see bound.go
//	-----------------  ---------------------------------------------------
//	without secrets    Digest of spec, options, references and public data
//	with secrets       fingerprint of the same and of the secrets
//
// Releases before fingerprints stored the digest of both alike. That, and a
// fingerprint by a key that is not the first any more, still reports that nothing
// has changed; the object's mark is renewed in place, which is no drift.

// Digests make what stands in the marks of a stack for what was applied.
type Digests struct {
	stack   string
	printer *fingerprint.Printer
}

// DigestsOf is of a stack, with the keys of its fingerprints.
func DigestsOf(stack string, printer *fingerprint.Printer) Digests { return Digests{stack, printer} }

// Subject is what a fingerprint of d is of: public holds a digest or sum, which no one gets to
// see, and that shows everything else that a commit can change.
func (s Digests) Subject(d *kind.Desired, public string) fingerprint.Subject {
	return fingerprint.Subject{Holder: d.Confidential.Holder, Object: ownertext.Of(s.stack, d.Key), Public: public, Secret: d.Confidential.Secret}
}

// applies is what the fingerprint in a mark is of.
func (s Digests) applies(d *kind.Desired) fingerprint.Subject {
	return s.Subject(d, "applied\n"+d.Digest)
}

// InMark is what stands for everything that a commit can change about d.
func (s Digests) InMark(d *kind.Desired) string {
	if d.Confidential.Secret != "" {
		return s.printer.Print(s.applies(d))
	}
	return d.Digest
}

// Applied reports whether the mark of an object says that d, as it is now, was
// applied to it.
func (s Digests) Applied(d *kind.Desired, have *kind.Mark) bool {
	switch {
	case have == nil:
		return false
	case have.Applied == d.Digest:
		return true
	}
	return d.Confidential.Secret != "" && s.printer.Compare(have.Applied, s.applies(d)) == fingerprint.Same
}
