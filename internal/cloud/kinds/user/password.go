package user

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

const (
	// passwordKey is the key of the password in the data of a Secret, as in K-ORC.
	passwordKey = "password"
	// printKey is the attribute of a user that holds the fingerprint of its password.
	printKey = mark.ExtraKey + "_password"
	// passwordUse is the purpose of the fingerprint.
	passwordUse = "password"
	field       = "spec.resource.passwordRef"
)

// expand checks that the Secret contains the password. A missing Secret is reported
// elsewhere, with the other references.
func expand(s *Spec, e *kind.Expansion) {
	if s.PasswordRef == nil || !e.Declares("Secret", *s.PasswordRef) {
		return
	}
	if text, ok := e.Data("Secret", *s.PasswordRef, passwordKey); !ok || text == "" {
		e.Lacks(field, "Secret", *s.PasswordRef, "Secret/"+*s.PasswordRef+" has no data."+passwordKey, "add it there, or name another Secret")
	}
}

// password returns the password of the user; false while the Secret is missing.
func password(w want) (text string, given bool) {
	if w.Spec.PasswordRef == nil {
		return "", false
	}
	text, given = w.Ref("Secret", *w.Spec.PasswordRef).Data[passwordKey]
	return text, given
}

// comparePassword compares the password's fingerprint with the fingerprint that is
// stored with the user. If the user has none, the password is written.
func comparePassword(w want, have *table.Object[Spec, More], c *kind.Changes) {
	text, given := password(w)
	if print := string(have.More.Print); given && w.CompareFingerprint(print, passwordUse, text) != fingerprint.Same {
		c.Add(kind.Change{Field: field, Have: print, Want: w.Fingerprint(passwordUse, text), Secret: true})
	}
}

// update writes the fingerprint with every change, because its value depends on the
// owner mark. While somebody else manages the password, update does not write it.
func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	text, given := password(n.Want)
	print := string(n.Have.State.More.Print)
	if given && (kind.Has(n.Changes, field) || n.Want.CompareFingerprint(print, passwordUse, text) == fingerprint.Same) {
		n.Fields[printKey] = n.Want.Fingerprint(passwordUse, text)
	}
	return d.Write(ctx, n)
}

// unmark also removes the fingerprint of the password.
func unmark(ctx context.Context, d driver, have typed.Live[state]) error {
	return d.Write(ctx, define.Change[Spec, More]{Have: have, Fields: map[string]any{printKey: nil}})
}

func export(_ *state, _ *Spec, e *kind.Export) {
	e.AddLost("spec.resource.passwordRef", "the cloud does not show the password; the password is not changed until the manifest names a Secret")
}

func writePassword(w want, _ *table.Object[Spec, More], body map[string]any) {
	if text, given := password(w); given {
		body["password"], body[printKey] = text, w.Fingerprint(passwordUse, text)
	}
}
