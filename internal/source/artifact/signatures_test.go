package artifact

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/standin/registry"
)

// signer is a key pair. Its public key is in a file.
type signer struct {
	private crypto.Signer
	hash    crypto.Hash
	file    string
}

func newSigner(t *testing.T, private crypto.Signer, hash crypto.Hash) signer {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cosign.pub")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return signer{private, hash, file}
}

func ecdsaKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (s signer) sign(t *testing.T, message []byte) string {
	t.Helper()
	if s.hash != 0 {
		message = sum(s.hash, message)
	}
	signature, err := s.private.Sign(rand.Reader, message, s.hash)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(signature)
}

func payload(kind, digest string) []byte {
	return fmt.Appendf(nil, `{"critical":{"identity":{"docker-reference":"x"},"image":{"docker-manifest-digest":%q},"type":%q},"optional":null}`, digest, kind)
}

// attach stores a signature of text beside the artifact, as cosign 2 does.
func (w *world) attach(about registry.Descriptor, text []byte, signature string, annotations ...string) {
	layer := w.Blob(simpleSigning, text)
	layer.Annotations = map[string]string{signatureMark: signature}
	for _, name := range annotations {
		layer.Annotations[name] = "x"
	}
	w.Put(registry.Manifest{Layers: []registry.Descriptor{layer}}, strings.Replace(about.Digest, ":", "-", 1)+".sig")
}

func statement(predicate, digest string) []byte {
	return fmt.Appendf(nil, `{"_type":"https://in-toto.io/Statement/v1","subject":[{"digest":{"sha256":%q}}],"predicateType":%q}`, strings.TrimPrefix(digest, "sha256:"), predicate)
}

// refer stores a bundle as a referrer of the artifact, as cosign 3 does.
func (w *world) refer(t *testing.T, s signer, about registry.Descriptor, text []byte) {
	t.Helper()
	signature := s.sign(t, fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(statementType), statementType, len(text), text))
	bundle := fmt.Sprintf(`{"dsseEnvelope":{"payload":%q,"payloadType":%q,"signatures":[{"sig":%q}]}}`, base64.StdEncoding.EncodeToString(text), statementType, signature)
	kind := bundlePrefix + "v0.3+json"
	w.Put(registry.Manifest{ArtifactType: kind, Subject: &about, Layers: []registry.Descriptor{w.Blob(kind, []byte(bundle))}})
}

func TestAttackSignatures(t *testing.T) {
	good, bad := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256), newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	other := registry.Digest([]byte("another artifact"))
	for _, c := range []struct {
		name string
		want signature.Code // "" if the artifact is verified
		sign func(t *testing.T, w *world, at registry.Descriptor)
	}{
		{"none", signature.Unsigned, func(*testing.T, *world, registry.Descriptor) {}},
		{"signed", "", func(t *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload(payloadType, at.Digest), good.sign(t, payload(payloadType, at.Digest)))
		}},
		{"another key", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload(payloadType, at.Digest), bad.sign(t, payload(payloadType, at.Digest)))
		}},
		{"another artifact", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload(payloadType, other), good.sign(t, payload(payloadType, other)))
		}},
		{"another statement", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload("else", at.Digest), good.sign(t, payload("else", at.Digest)))
		}},
		{"changed statement", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload(payloadType, at.Digest), good.sign(t, payload(payloadType, other)))
		}},
		{"no base64", signature.Unknown, func(_ *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload(payloadType, at.Digest), "%")
		}},
		{"keyless", signature.X509, func(t *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload(payloadType, at.Digest), bad.sign(t, payload(payloadType, at.Digest)), certificateMark)
		}},
		{"referrer", "", func(t *testing.T, w *world, at registry.Descriptor) {
			layer := w.Blob(simpleSigning, payload(payloadType, at.Digest))
			layer.Annotations = map[string]string{signatureMark: good.sign(t, payload(payloadType, at.Digest))}
			w.Put(registry.Manifest{ArtifactType: signatureType, Subject: &at, Layers: []registry.Descriptor{layer}})
		}},
		{"bundle", "", func(t *testing.T, w *world, at registry.Descriptor) {
			w.refer(t, good, at, statement(signPredicate, at.Digest))
		}},
		{"bundle by another key", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			w.refer(t, bad, at, statement(signPredicate, at.Digest))
		}},
		{"bundle about another", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			w.refer(t, good, at, statement(signPredicate, other))
		}},
		{"attestation", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			w.refer(t, good, at, statement("https://spdx.dev/Document", at.Digest))
		}},
		{"bad ones and a good one", "", func(t *testing.T, w *world, at registry.Descriptor) {
			w.attach(at, payload(payloadType, at.Digest), bad.sign(t, payload(payloadType, at.Digest)))
			w.Put(registry.Manifest{ArtifactType: signatureType, Subject: &at, Layers: []registry.Descriptor{{MediaType: simpleSigning, Digest: other, Size: 3}}})
			w.refer(t, good, at, statement(signPredicate, at.Digest))
		}},
		{"bad layers and a good one", "", func(t *testing.T, w *world, at registry.Descriptor) {
			text := payload(payloadType, at.Digest)
			layer := w.Blob(simpleSigning, text)
			wrong := layer
			wrong.Size++
			layer.Annotations = map[string]string{signatureMark: good.sign(t, text)}
			gone := registry.Descriptor{MediaType: simpleSigning, Digest: other, Size: 4}
			w.Put(registry.Manifest{Layers: []registry.Descriptor{gone, wrong, layer}}, strings.Replace(at.Digest, ":", "-", 1)+".sig")
		}},
		{"bundle of an unnamed type", "", func(t *testing.T, w *world, at registry.Descriptor) {
			w.ShownType = "application/vnd.oci.empty.v1+json"
			w.refer(t, good, at, statement(signPredicate, at.Digest))
		}},
		{"too many", signature.Unknown, func(t *testing.T, w *world, at registry.Descriptor) {
			for range maxSignatures {
				w.refer(t, bad, at, statement(signPredicate, at.Digest))
			}
			w.refer(t, good, at, statement(signPredicate, at.Digest))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := startRegistry(t)
			at := w.push(t, "prod", "a.yaml", "one")
			c.sign(t, w, at)
			rev, _, err := verified(t, follow(t, Config{URL: w.url, Tag: "prod", KeyFiles: []string{good.file}}))
			if rev.Commit != at.Digest || (c.want == "") != (err == nil) || fault(err) != c.want || (rev.Signed.By.Key == "") != (err != nil) {
				t.Errorf("%+v, %v", rev, err)
			}
		})
	}
}

func TestAttackManyReferrers(t *testing.T) {
	good := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	w := startRegistry(t)
	at := w.push(t, "prod", "a.yaml", "one")
	for i := range 3 * maxSignatures {
		w.Put(registry.Manifest{ArtifactType: bundlePrefix + "v0.3+json", Subject: &at, Annotations: map[string]string{"n": fmt.Sprint(i)}})
	}
	w.Asked()
	if _, _, err := verified(t, follow(t, Config{URL: w.url, Tag: "prod", KeyFiles: []string{good.file}})); fault(err) == "" {
		t.Error(err)
	}
	if asked := w.Asked(); len(asked) > maxSignatures+5 {
		t.Errorf("%d requests", len(asked))
	}
}

func TestKindsOfKeys(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]signer{
		"P-256": newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256), "P-384": newSigner(t, ecdsaKey(t, elliptic.P384()), crypto.SHA384),
		"P-384 with SHA-256": newSigner(t, ecdsaKey(t, elliptic.P384()), crypto.SHA256), "P-521": newSigner(t, ecdsaKey(t, elliptic.P521()), crypto.SHA512),
		"Ed25519": newSigner(t, ed, 0), "Ed25519ph": newSigner(t, ed, crypto.SHA512), "RSA": newSigner(t, long, crypto.SHA256),
	} {
		keys, err := readKeys([]string{s.file})
		if err != nil {
			t.Fatal(err)
		}
		made := decoded(s.sign(t, []byte("text")))
		if signedBy(keys, []byte("text"), made) == nil || signedBy(keys, []byte("Text"), made) != nil || signedBy(keys, []byte("text"), nil) != nil {
			t.Error(name)
		}
	}
	for name, text := range map[string]string{"empty": "", "a private key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no key": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if keys, problem := parseKeys([]byte(text)); problem == "" || keys != nil {
			t.Errorf("%s: %v", name, keys)
		}
	}
}

func TestSignedArchive(t *testing.T) {
	good, bad := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256), newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	text := packedFiles(t, "a.yaml", "one")
	files := map[string][]byte{"/c.tgz": text}
	url, asked := serveArchive(t, files)
	a := follow(t, Config{URL: url + "/c.tgz", KeyFiles: []string{good.file}})
	fetch := func(want signature.Code, changed bool) {
		t.Helper()
		_, news, err := verified(t, a)
		if (want == "") != (err == nil) || fault(err) != want || news != changed {
			t.Errorf("%v, changed %v", err, news)
		}
	}
	fetch(signature.Unsigned, true) // there is no signature
	files["/c.tgz.sig"] = []byte(bad.sign(t, text))
	fetch(signature.Unknown, false)
	files["/c.tgz.sig"] = []byte(good.sign(t, text) + "\n")
	fetch("", true)
	*asked = nil
	fetch("", false)
	if len(*asked) != 1 || (*asked)[0].Get("If-None-Match") == "" {
		t.Errorf("a poll without news sent %v", *asked)
	}
	files["/c.tgz"] = packedFiles(t, "a.yaml", "two")
	fetch(signature.Unknown, true) // the signature is that of the old archive
	fetch(signature.Unknown, false)
	if signed, err := a.Verify(t.Context(), registry.Digest(text)); err != nil || signed.By.Key == "" {
		t.Errorf("the earlier archive: %+v, %v", signed, err)
	}
	files["/c.tgz.sig"] = []byte(good.sign(t, files["/c.tgz"]))
	fetch("", true)
	if last, _ := a.Last(); last.Commit != registry.Digest(files["/c.tgz"]) {
		t.Errorf("%+v", last)
	}
}

func TestWithdrawnKey(t *testing.T) {
	good, other := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256), newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	w := startRegistry(t)
	at := w.push(t, "prod", "a.yaml", "one")
	w.attach(at, payload(payloadType, at.Digest), good.sign(t, payload(payloadType, at.Digest)))
	archive := packedFiles(t, "a.yaml", "one")
	url, _ := serveArchive(t, map[string][]byte{"/c.tgz": archive, "/c.tgz.sig": []byte(good.sign(t, archive))})
	text := func(s signer) []byte {
		all, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	own, others := text(good), text(other)
	file := filepath.Join(t.TempDir(), "keys.pub")
	for name, cfg := range map[string]Config{
		"tag": {URL: w.url, Tag: "prod"}, "digest": {URL: w.url, Digest: at.Digest},
		"archive": {URL: url + "/c.tgz"}, "archive by digest": {URL: url + "/c.tgz", Digest: registry.Digest(archive)},
	} {
		cfg.KeyFiles = []string{file}
		a := follow(t, cfg)
		for i, step := range []struct {
			keys    []byte
			changed bool
			want    signature.Code
		}{{own, true, ""}, {own, false, ""}, {others, true, signature.Unknown}, {others, false, signature.Unknown}, {append(others, own...), true, ""}, {own, false, ""}} {
			if err := os.WriteFile(file, step.keys, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, changed, err := verified(t, a); changed != step.changed || (step.want == "") != (err == nil) || fault(err) != step.want {
				t.Errorf("%s, step %d: %v, %v", name, i, changed, err)
			}
		}
	}
}

// A pass that only looks at the cloud fetches nothing. An archive whose key is still among the new ones stays verified.
func TestArchiveAfterAChangeOfKeys(t *testing.T) {
	good, other := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256), newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	archive := packedFiles(t, "a.yaml", "one")
	files := map[string][]byte{"/c.tgz": archive, "/c.tgz.sig": []byte(good.sign(t, archive))}
	url, asked := serveArchive(t, files)
	file := filepath.Join(t.TempDir(), "keys.pub")
	keys := func(from ...signer) {
		t.Helper()
		var all []byte
		for _, s := range from {
			text, err := os.ReadFile(s.file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text...)
		}
		if err := os.WriteFile(file, all, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keys(good)
	a := follow(t, Config{URL: url + "/c.tgz", KeyFiles: []string{file}})
	if _, _, err := verified(t, a); err != nil {
		t.Fatal(err)
	}
	check := func(want signature.Code) {
		t.Helper()
		if signed, err := a.Verify(t.Context(), registry.Digest(archive)); fault(err) != want || (want == "") != (err == nil && signed.By.Key != "") {
			t.Errorf("%+v, %v, want %q", signed, err, want)
		}
	}
	keys(good, other)
	check("")
	*asked = nil
	check("")
	if len(*asked) > 0 {
		t.Errorf("a second check sent %v", *asked)
	}
	keys(other)
	check(signature.Unknown)
	files["/c.tgz"] = packedFiles(t, "a.yaml", "two")
	files["/c.tgz.sig"] = []byte(other.sign(t, files["/c.tgz"]))
	check(signature.Unknown)
	if rev, changed, err := verified(t, a); err != nil || !changed || rev.Commit != registry.Digest(files["/c.tgz"]) {
		t.Errorf("the next fetch: %s, %v, %v", rev.Commit, changed, err)
	}
}

// No text counts as signed, because nobody has used the key.
func FuzzBundle(f *testing.F) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	digest := registry.Digest(nil)
	f.Add(fmt.Appendf(nil, `{"dsseEnvelope":{"payload":%q,"payloadType":%q,"signatures":[{"sig":"AAAA"}]}}`, base64.StdEncoding.EncodeToString(statement(signPredicate, digest)), statementType), "AAAA")
	f.Add(payload(payloadType, digest), "MEUCIQ==")
	f.Fuzz(func(t *testing.T, text []byte, signature string) {
		if bundled(text, digest, nil) != nil || bundled(text, digest, []key{&private.PublicKey}) != nil || signedBy([]key{&private.PublicKey}, text, decoded(signature)) != nil {
			t.Error("a text that nobody signed counts")
		}
		statesDigest(text, digest)
	})
}

// TestSignaturesInAnotherRepository finds a signature where COSIGN_REPOSITORY put it, and nowhere else.
func TestSignaturesInAnotherRepository(t *testing.T) {
	good := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	for _, bundled := range []bool{false, true} {
		main, signs := startRegistry(t), &world{World: registry.New()}
		code, refused := http.StatusOK, "" // refused is the part of the paths that get the code; "" means all
		main.Before = func(out http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/v2/team/signatures/") {
				return false
			}
			if code != http.StatusOK && strings.Contains(r.URL.Path, refused) {
				out.WriteHeader(code)
				return true
			}
			signs.ServeHTTP(out, r)
			return true
		}
		at := main.push(t, "prod", "a.yaml", "one")
		here, there := Config{URL: main.url, Tag: "prod", KeyFiles: []string{good.file}}, Config{URL: main.url, Tag: "prod", KeyFiles: []string{good.file}, Signed: "team/signatures"}
		if _, _, err := verified(t, follow(t, there)); fault(err) != signature.Unsigned {
			t.Errorf("bundled %v, without a signature: %v", bundled, err)
		}
		if bundled {
			signs.refer(t, good, at, statement(signPredicate, at.Digest))
		} else {
			signs.attach(at, payload(payloadType, at.Digest), good.sign(t, payload(payloadType, at.Digest)))
		}
		if _, _, err := verified(t, follow(t, here)); fault(err) != signature.Unsigned {
			t.Errorf("bundled %v, beside the artifact: %v", bundled, err)
		}
		if _, _, err := verified(t, follow(t, there)); err != nil {
			t.Errorf("bundled %v: %v", bundled, err)
		}
		code = http.StatusForbidden
		if _, _, err := verified(t, follow(t, there)); !errors.Is(err, failure.ErrCredentials) {
			t.Errorf("bundled %v, a login that may not read them: %v", bundled, err)
		}
		// Some registries answer 403 for a tag that does not exist.
		refused = ".sig"
		switch _, _, err := verified(t, follow(t, there)); {
		case bundled && err != nil:
			t.Errorf("bundled, and the other tag is refused: %v", err)
		case !bundled && !errors.Is(err, failure.ErrCredentials):
			t.Errorf("the tag of the signature is refused: %v", err)
		}
	}
	for name, cfg := range map[string]Config{
		"no keys":           {URL: "oci://registry.example.com/a", Tag: "x", Signed: "team/signatures"},
		"another registry":  {URL: "oci://registry.example.com/a", Tag: "x", Signed: "https://other.example.com/a", KeyFiles: []string{good.file}},
		"with the registry": {URL: "oci://registry.example.com/a", Tag: "x", Signed: "registry.example.com/team/signatures", KeyFiles: []string{good.file}},
		"a way out":         {URL: "oci://registry.example.com/a", Tag: "x", Signed: "../a", KeyFiles: []string{good.file}},
		"an archive":        {URL: "https://files.example.com/a.tar", Signed: "team/signatures", KeyFiles: []string{good.file}},
	} {
		if _, err := New(cfg, nil); !errors.Is(err, failure.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
