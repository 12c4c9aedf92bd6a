package plan

import (
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// An object's mark stores a digest of the manifest that was applied. A digest of an object with secrets would let somebody guess the secrets, so its
// mark stores a fingerprint instead.
//
//	the object         its Mark.Applied (approvals bind more, see bound.go)
//	-----------------  --------------------------------------------------------------
//	has no secrets     the Digest of spec, options, references and public data
//	has secrets        a fingerprint of spec, options, references, data and the secrets
//
// Releases before fingerprints stored the digest in both cases. Such a digest still shows that nothing has changed, and so does a
// fingerprint made with an older key. The mark is then rewritten in place, which is not drift.

// Digests computes the digests and fingerprints that the marks of a stack store.
type Digests struct {
	stack   string
	printer *fingerprint.Printer
}

// DigestsOf returns the Digests of a stack, with the keys of its fingerprints.
func DigestsOf(stack string, printer *fingerprint.Printer) Digests { return Digests{stack, printer} }

// Subject returns the input of a fingerprint of d. public is a digest or sum of everything that a commit can
// change about d, apart from its secrets. Despite its name, public is not shown to anybody.
func (s Digests) Subject(d *kind.Desired, public string) fingerprint.Subject {
	return fingerprint.Subject{Holder: d.Confidential.Holder, Object: ownertext.Of(s.stack, d.Key), Public: public, Secret: d.Confidential.Secret}
}

// applies returns the input of the fingerprint that the mark of d stores.
func (s Digests) applies(d *kind.Desired) fingerprint.Subject {
	return s.Subject(d, "applied\n"+d.Digest)
}

// InMark returns the digest or fingerprint that the mark of d stores. It covers everything that a commit can change about d.
func (s Digests) InMark(d *kind.Desired) string {
	if d.Confidential.Secret != "" {
		return s.printer.Print(s.applies(d))
	}
	return d.Digest
}

// Applied reports whether the mark of an object says that d, in its present form, was applied to it.
func (s Digests) Applied(d *kind.Desired, have *kind.Mark) bool {
	switch {
	case have == nil:
		return false
	case have.Applied == d.Digest:
		return true
	}
	return d.Confidential.Secret != "" && s.printer.Compare(have.Applied, s.applies(d)) == fingerprint.Same
}
