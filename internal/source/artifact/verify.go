package artifact

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io/fs"
	"slices"

	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// Verify reports which key signed an artifact that Fetch or At has returned. The error is an [*source.Unverified] if none of the keys did. It sends no
// request if the keys are the same as at the last check.
func (a *Artifact) Verify(parent context.Context, digest string) (source.Signed, error) {
	if len(a.cfg.KeyFiles) == 0 {
		return source.Signed{}, nil
	}
	ctx, done, err := a.begin(parent)
	if err != nil {
		return source.Signed{}, err
	}
	defer done()
	if last, ok := a.Last(); ok && last.Commit == digest && refusal(last) != nil {
		return source.Signed{}, refusal(last) // the next fetch looks for new signatures
	}
	signed, err := a.from.verify(ctx, digest)
	if err != nil && !errors.As(err, new(*source.Unverified)) {
		err = a.finish(ctx, parent, err)
	}
	return signed, err
}

// sealed are the files of an artifact that is not verified. They are not downloaded, and nobody can read them.
type sealed struct{ why *source.Unverified }

// Open implements fs.FS. The error is the reason why the artifact is not verified.
func (s sealed) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: s.why}
}

// refusal returns the reason why a revision is not verified; nil if it is, or if no signatures are needed.
func refusal(rev source.Revision) *source.Unverified {
	if s, ok := rev.Files.(sealed); ok {
		return s.why
	}
	return nil
}

// unverified returns the error that an artifact, or an archive, is not verified.
func unverified(why source.Distrust, digest string, code signature.Code, detail string) *source.Unverified {
	return &source.Unverified{Commit: digest, Doubts: []source.Doubt{{Why: why, Commit: digest, Fault: &signature.Fault{Code: code}, Detail: detail}}}
}

// signedWith returns who signed with a key. The fingerprint is the hint that a bundle of cosign has.
func signedWith(k key) source.Signed {
	der, _ := x509.MarshalPKIXPublicKey(k) // the key was parsed from this form
	return source.Signed{By: signature.Signer{Name: "cosign", Key: "SHA256:" + base64.StdEncoding.EncodeToString(sum(crypto.SHA256, der))}}
}

// maxVerdicts limits the number of verified artifacts that are remembered.
const maxVerdicts = 32

// verdicts are artifacts whose signature counted, the one that was needed last at the end.
type verdicts []verdict

type verdict struct {
	digest, keys string // keys is the sum of the keys at the time of the check.
	signed       source.Signed
}

// of returns who signed an artifact, if it was checked with the same keys.
func (v verdicts) of(digest, keys string) (source.Signed, bool) {
	i := slices.IndexFunc(v, func(one verdict) bool { return one.digest == digest && one.keys == keys })
	if i < 0 {
		return source.Signed{}, false
	}
	found := v[i]
	copy(v[i:], v[i+1:])
	v[len(v)-1] = found
	return found.signed, true
}

// add remembers who signed an artifact.
func (v *verdicts) add(digest, keys string, signed source.Signed) {
	kept := slices.DeleteFunc(*v, func(one verdict) bool { return one.digest == digest })
	*v = append(kept[max(0, len(kept)+1-maxVerdicts):], verdict{digest, keys, signed})
}
