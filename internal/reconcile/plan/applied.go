package plan

import (
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
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

// subject is what a fingerprint of d is of: public holds a digest or sum, which no one gets to
// see, and that shows everything else that a commit can change.
func (w *world) subject(d *kind.Desired, public string) fingerprint.Subject {
	return fingerprint.Subject{Holder: d.Confidential.Holder, Object: kind.OwnerText(w.Stack, d.Key), Public: public, Secret: d.Confidential.Secret}
}

// applies is what the fingerprint in a mark is of.
func (w *world) applies(d *kind.Desired) fingerprint.Subject {
	return w.subject(d, "applied\n"+d.Digest)
}

// mark is what an object shall bear in the cloud.
func (p *planner) mark(d *kind.Desired) kind.Mark {
	m := d.PlainMark(p.Stack)
	m.Applied, m.Refused, m.Loses = p.digest(d), p.refused(d), p.remembersLoss(d)
	if p.drains[d.Key] || p.refersToDropped(d) {
		m.Applied = kind.Unfinished // so that it is no drift, then or afterwards
	}
	return m
}

// digest is what stands for everything that a commit can change about d.
func (w *world) digest(d *kind.Desired) string {
	if d.Confidential.Secret != "" {
		return w.Printer.Print(w.applies(d))
	}
	return d.Digest
}

// applied reports whether the mark of an object says that d, as it is now, was
// applied to it.
func (w *world) applied(d *kind.Desired, have *kind.Mark) bool {
	switch {
	case have == nil:
		return false
	case have.Applied == d.Digest:
		return true
	}
	return d.Confidential.Secret != "" && w.Printer.Compare(have.Applied, w.applies(d)) == fingerprint.Same
}

// renewed reports whether two marks say the same in different forms. Marks of versions
// that took no marks off do not say that the object shall be detached.
func (p *planner) renewed(d *kind.Desired, have *kind.Mark) bool {
	want := p.mark(d)
	return have != nil && have.Owner == want.Owner && have.Keep == want.Keep && p.applied(d, have) &&
		(have.Detach == want.Detach && (have.Applied != want.Applied || have.Refused != want.Refused) || want.Detach && !have.Detach)
}
