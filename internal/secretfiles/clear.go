// Package secretfiles finds secrets in clear text among local manifests, and encrypts files in place.
//
// It does not know clouds and Git. The format of encrypted files is in internal/sops.
package secretfiles

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Finding is a secret in clear text. It does not contain the value.
type Finding struct {
	Origin manifest.Origin
	Key    manifest.Key
	Field  string
	Why    Reason
}

// Reason says why a value counts as a secret.
type Reason string

// These are the reasons.
const (
	InSecret    Reason = "data of a Secret"
	SecretField Reason = "a field for secrets"
	PrivateKey  Reason = "looks like a private key"
	Token       Reason = "looks like a token"
)

// signs are the forms of texts that are secrets wherever they stand.
var signs = []struct {
	form *pattern.Pattern
	why  Reason
}{
	{pattern.Of(`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----`), PrivateKey},
	{pattern.Of(`AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]{20}`), PrivateKey},
	{pattern.Of(`\b(ghp|gho|ghs|ghu|ghr)_[0-9A-Za-z]{30}|\bgithub_pat_[0-9A-Za-z_]{30}`), Token},
	{pattern.Of(`\bglpat-[0-9A-Za-z_-]{20}`), Token},
	{pattern.Of(`\bAKIA[0-9A-Z]{16}\b`), Token},
	{pattern.Of(`\bxox[abeprs]-[0-9A-Za-z-]{20}`), Token},
	{pattern.Of(`\bhvs\.[0-9A-Za-z_-]{20}`), Token},
	{pattern.Of(`\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.`), Token},
}

// InClear lists the secrets in clear text in the manifests of objects, in the order of files and lines. Encrypted values are
// left out.
func InClear(want []kind.Desired) (list []Finding) {
	for i := range want {
		d := &want[i]
		if d.Parent != (manifest.Key{}) || d.Object == nil {
			continue
		}
		found := map[string]Reason{}
		inData(d, found)
		for _, v := range document.Values(d, nil) {
			if v.Secret {
				found[v.Field] = SecretField
			}
		}
		confidential.Leaves(d.Spec, d.SpecPath, func(field, text string) {
			if why := looks(text); why != "" && found[field] == "" {
				found[field] = why
			}
		})
		for field, why := range found {
			if !d.Encrypts(field) {
				list = append(list, Finding{d.Object.Where(field), d.Key, field, why})
			}
		}
		d.Object.Release()
	}
	slices.SortFunc(list, func(a, b Finding) int { return a.Origin.Compare(b.Origin) })
	return list
}

// inData adds the entries of a Secret, and those of other data that look like secrets.
func inData(d *kind.Desired, found map[string]Reason) {
	for name, text := range d.Data {
		field := manifest.Below("data", name)
		if other := manifest.Below("stringData", name); d.Encrypts(other) || d.Object.Where(other).Line > d.Object.Where("stringData").Line {
			field = other
		}
		if why := looks(text); why != "" {
			found[field] = why
		} else if !d.PublicData && text != "" {
			found[field] = InSecret
		}
	}
}

// looks returns why a text, or the text that it has in base64, looks like a secret; "" if it does not.
func looks(text string) Reason {
	const shortest = 16
	for _, s := range signs {
		if s.form.MatchString(text) {
			return s.why
		}
	}
	if plain, err := base64.StdEncoding.DecodeString(text); err == nil && len(plain) >= shortest && utf8.Valid(plain) {
		return looks(string(plain))
	}
	return ""
}
