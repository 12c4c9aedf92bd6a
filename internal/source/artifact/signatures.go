package artifact

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// These are the limits of signatures, because everybody who may push to the repository can add some.
const (
	maxSignature  = 64 << 10 // bytes of a signed statement
	maxBundle     = 1 << 20  // bytes of a bundle, which can contain entries of a log
	maxSignatures = 32       // number of signatures that are checked
)

// These are the names that cosign gives to its parts.
const (
	simpleSigning   = "application/vnd.dev.cosign.simplesigning.v1+json"
	signatureType   = "application/vnd.dev.cosign.artifact.sig.v1+json"
	bundlePrefix    = "application/vnd.dev.sigstore.bundle."
	signatureMark   = "dev.cosignproject.cosign/signature"
	certificateMark = "dev.sigstore.cosign/certificate"
	payloadType     = "cosign container image signature"
	statementType   = "application/vnd.in-toto+json"
	dockerManifest  = "application/vnd.docker.distribution.manifest.v2+json" // with COSIGN_DOCKER_MEDIA_TYPES, for registries without OCI
	signPredicate   = "https://sigstore.dev/cosign/sign/v1"
)

// signatures finds the signatures of an artifact in its registry.
//
//	cosign                 place                                         form
//	--------------------   -------------------------------------------   --------------
//	2                      the tag sha256-….sig                          simple signing
//	2, referrers mode      a referrer of the artifact                    simple signing
//	3                      a referrer, or an entry of the tag sha256-…   bundle
type signatures struct {
	from *registryRemote
	repo *remote.Repository // with the signatures
	keys []key
	by   key // the key whose signature counts; nil as long as none was found.
}

// tally counts the referrers that were tried, the signatures that were found, and those with a certificate.
type tally struct {
	tried, found, keyless int
	failed                error // the first failure that may be over at the next poll
}

// full reports whether no more referrers and signatures are tried.
func (t *tally) full() bool { return t.tried >= maxSignatures || t.found >= maxSignatures }

// skip notes that a part of a signature cannot be read. Everybody who may push can add such a part, and it does not hide
// a good signature.
func (t *tally) skip(err error) {
	if err = explain(err); err != nil && t.failed == nil && !failure.NeedsPerson(err) {
		t.failed = err
	}
}

// check returns an error unless one of the keys has signed the artifact. It is an [*source.Unverified] if all signatures could be read.
func (s *signatures) check(ctx context.Context, desc ocispec.Descriptor) error {
	var seen tally
	tag := strings.Replace(desc.Digest.String(), ":", "-", 1) + ".sig"
	at, err := s.repo.Resolve(ctx, tag)
	if err == nil {
		var m ocispec.Manifest
		if m, err = s.from.manifest(ctx, s.repo, at, dockerManifest); err == nil && s.simple(ctx, m, desc, &seen) {
			return nil
		}
	}
	// Some registries answer 403 for a tag that does not exist. But a login that may not read another repository has to be mended.
	err = explain(err)
	if err != nil && !failure.NeedsPerson(err) {
		return err
	}
	if ok, err := s.referring(ctx, desc, &seen); ok || err != nil {
		return err
	}
	switch {
	case seen.failed != nil:
		return seen.failed
	case seen.found == 0 && s.from.cfg.Signed != "" && errors.Is(err, failure.ErrCredentials):
		return fmt.Errorf("verify.cosignRepository: %w", err)
	}
	code, how := signature.Unsigned, "it has no signature"
	if s.from.cfg.Signed != "" {
		how += " in the repository " + s.from.cfg.Signed
	}
	switch {
	case seen.keyless > 0 && seen.keyless == seen.found:
		code, how = signature.X509, "its signatures have a certificate in place of a key, and such signatures are not checked"
	case seen.found > 0:
		code, how = signature.Unknown, fmt.Sprintf("none of its %d signatures is by a key in source.verify.cosignKeyFiles", seen.found)
	}
	return unverified(source.BadArtifact, desc.Digest.String(), code, how)
}

// referring checks the signatures that refer to the artifact.
func (s *signatures) referring(ctx context.Context, desc ocispec.Descriptor, seen *tally) (ok bool, err error) {
	var list []ocispec.Descriptor
	err = s.repo.Referrers(ctx, desc, "", func(some []ocispec.Descriptor) error {
		list = append(list, some...)
		return nil
	})
	if err != nil && len(list) == 0 && !errors.Is(err, errdef.ErrNotFound) {
		return false, err
	}
	for _, one := range list {
		kind := one.ArtifactType
		// Some registries show the type of the config, which is empty, in place of the type of the artifact.
		if kind != signatureType && kind != ocispec.MediaTypeEmptyJSON && !strings.HasPrefix(kind, bundlePrefix) {
			continue
		}
		if seen.full() || ctx.Err() != nil {
			return false, ctx.Err()
		}
		seen.tried++
		m, err := s.from.manifest(ctx, s.repo, one)
		if err != nil {
			seen.skip(err)
			continue
		}
		if kind == ocispec.MediaTypeEmptyJSON {
			kind = m.ArtifactType
		}
		switch {
		case kind == signatureType:
			ok = s.simple(ctx, m, desc, seen)
		case strings.HasPrefix(kind, bundlePrefix):
			ok = s.bundle(ctx, m, desc, seen)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}

// simple checks a manifest whose layers are signed statements.
func (s *signatures) simple(ctx context.Context, m ocispec.Manifest, desc ocispec.Descriptor, seen *tally) bool {
	for _, layer := range m.Layers {
		if layer.MediaType != simpleSigning || seen.found >= maxSignatures {
			continue
		}
		seen.found++
		if layer.Annotations[certificateMark] != "" {
			seen.keyless++
		}
		payload, err := read(ctx, s.repo.Blobs(), layer, maxSignature)
		if err != nil {
			seen.skip(err)
			continue
		}
		by := signedBy(s.keys, payload, decoded(layer.Annotations[signatureMark]))
		if by != nil && statesDigest(payload, desc.Digest.String()) {
			s.by = by
			return true
		}
	}
	return false
}

// bundle checks a manifest whose layer is a bundle.
func (s *signatures) bundle(ctx context.Context, m ocispec.Manifest, desc ocispec.Descriptor, seen *tally) bool {
	if len(m.Layers) != 1 {
		return false
	}
	seen.found++
	text, err := read(ctx, s.repo.Blobs(), m.Layers[0], maxBundle)
	seen.skip(err)
	if err == nil {
		s.by = bundled(text, desc.Digest.String(), s.keys)
	}
	return s.by != nil
}

// statesDigest reports whether a signed statement in the form of simple signing is about the artifact.
func statesDigest(payload []byte, digest string) bool {
	var statement struct {
		Critical struct {
			Type  string `json:"type"`
			Image struct {
				Digest string `json:"docker-manifest-digest"`
			} `json:"image"`
		} `json:"critical"`
	}
	err := json.Unmarshal(payload, &statement)
	return err == nil && statement.Critical.Type == payloadType && statement.Critical.Image.Digest == digest
}

// bundled returns the key whose signature of the artifact a bundle has; nil if there is none. The statement must be that of
// `cosign sign`, because people use the same keys to state other things about an artifact.
func bundled(text []byte, digest string, keys []key) key {
	var bundle struct {
		Envelope struct {
			Payload    string `json:"payload"`
			Type       string `json:"payloadType"`
			Signatures []struct {
				Signature string `json:"sig"`
			} `json:"signatures"`
		} `json:"dsseEnvelope"`
	}
	if json.Unmarshal(text, &bundle) != nil || bundle.Envelope.Type != statementType || len(bundle.Envelope.Signatures) != 1 {
		return nil
	}
	payload, err := base64.StdEncoding.DecodeString(bundle.Envelope.Payload)
	if err != nil {
		return nil
	}
	// This is the encoding that DSSE signs.
	signed := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(statementType), statementType, len(payload), payload)
	by := signedBy(keys, signed, decoded(bundle.Envelope.Signatures[0].Signature))
	if by == nil {
		return nil
	}
	var statement struct {
		Subject []struct {
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
		Predicate string `json:"predicateType"`
	}
	if json.Unmarshal(payload, &statement) != nil || statement.Predicate != signPredicate || len(statement.Subject) != 1 || "sha256:"+statement.Subject[0].Digest["sha256"] != digest {
		return nil
	}
	return by
}
