package reconcile

import (
	"crypto/sha256"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// What was applied to an object is stored as a digest. One of an object with
// secrets would let them be guessed; it is a fingerprint instead.
//
//	an object          Mark.Applied, and what approvals bind
//	-----------------  ---------------------------------------------------
//	without secrets    Digest of spec, options, references and public data
//	with secrets       fingerprint of the same and of the secrets
//
// Releases before fingerprints stored the digest of both alike. That, and a
// fingerprint by a key that is not the first any more, still tells that nothing
// has changed; the object's mark is renewed in place, which is no drift.

// confidential is what of a desired object must not be guessed. It is empty for an
// object without secrets.
type confidential struct {
	holder string // who holds the secrets
	secret string // a hash of them
	// former holders are what the holder was called, for each of [Desired.From].
	former []string
}

// conceal finds the secrets in what a commit can change about n.
func (r *resolver) conceal(n *node) (c confidential) {
	for value := range values([][]Desired{{n.Desired}}, secretsIn) {
		c.secret += "\n" + r.secretText(value)
	}
	root := r.byKey[r.root(n)]
	c.holder = root.Key.String()
	for _, key := range root.From {
		c.former = append(c.former, key.String())
	}
	for _, ref := range n.Refs {
		if target := r.byKey[ref.Key]; !ref.Order && target.Data != nil && !target.public {
			c.secret += "\n" + ref.Field + "=" + target.dataText()
			c.holder, c.former = ref.Key.String(), nil
		}
	}
	if c.secret == "" {
		return confidential{}
	}
	sum := sha256.Sum256([]byte(c.secret)) // short, and never shown
	c.secret = string(sum[:])
	return c
}

// secretText stands for a secret. Long ones are often the same in many objects, as
// the script of a group's machines is: they are digested once.
func (r *resolver) secretText(value string) string {
	const long = 1 << 10
	if len(value) < long {
		return canonical(value)
	}
	text, known := r.secrets[value]
	if !known {
		text = Digest(value)
		r.secrets[value] = text
	}
	return text
}

// root is the object in the repository that n comes from.
func (r *resolver) root(n *node) manifest.Key {
	for range r.order {
		parent := r.byKey[n.Parent]
		if parent == nil {
			break
		}
		n = parent
	}
	return n.Key
}

// subject is what the fingerprint of d is of: the digest, which no one gets to
// see, tells everything else that a commit can change.
func (p *planner) subject(d *Desired) fingerprint.Subject {
	return fingerprint.Subject{Holder: d.confidential.holder, Object: OwnerText(p.Stack, d.Key), Public: "applied\n" + d.digest, Secret: d.confidential.secret}
}

// mark is what an object shall bear in the cloud.
func (p *planner) mark(d *Desired) Mark {
	m := d.mark(p.Stack)
	if d.confidential.secret != "" {
		m.Applied = p.Prints.Print(p.subject(d))
	}
	return m
}

// applied tells whether the mark of an object says that d, as it is now, was
// applied to it.
func (p *planner) applied(d *Desired, have *Mark) bool {
	switch {
	case have == nil:
		return false
	case have.Applied == d.digest:
		return true
	}
	return d.confidential.secret != "" && p.Prints.Compare(have.Applied, p.subject(d)) == fingerprint.Same
}

// renewed tells whether two marks say the same in different forms.
func (p *planner) renewed(d *Desired, have *Mark) bool {
	want := p.mark(d)
	return have != nil && have.Owner == want.Owner && have.Keep == want.Keep && have.Applied != want.Applied && p.applied(d, have)
}

// Print is the fingerprint of a secret of the object, to be stored with it; use
// sets different secrets of one object apart.
func (w Want[Spec]) Print(use, secret string) string {
	return w.printer().Print(w.subject(use, secret))
}

// Printed tells what a fingerprint that is stored says about a secret of the
// object.
func (w Want[Spec]) Printed(print, use, secret string) fingerprint.Match {
	subject := w.subject(use, secret)
	match := w.printer().Compare(print, subject)
	for _, was := range w.former {
		if match != fingerprint.Same {
			subject.Holder, subject.Object = was.holder, was.owner
			match = max(match, w.printer().Compare(print, subject))
		}
	}
	return match
}

func (w Want[Spec]) subject(use, secret string) fingerprint.Subject {
	return fingerprint.Subject{Holder: w.holder, Object: w.Mark.Owner, Public: use, Secret: secret}
}

func (w Want[Spec]) printer() *fingerprint.Printer {
	if w.prints != nil {
		return w.prints
	}
	p, _ := fingerprint.New("") // fails for bad keys only
	return p
}
