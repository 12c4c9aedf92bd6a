package artifact

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/standin/registry"
)

// recorded is the content of a real registry after the real cosign signed an artifact there, once with each key.
type recorded struct {
	Cosign    string            `json:"cosign"`    // the version.
	Artifact  string            `json:"artifact"`  // the digest of the artifact.
	Keys      map[string]string `json:"keys"`      // the public keys in PEM, by name.
	Tags      map[string]string `json:"tags"`      // digests by tag.
	Manifests map[string]shown  `json:"manifests"` // by digest.
	Blobs     map[string][]byte `json:"blobs"`     // by digest.
}

type shown struct {
	MediaType string `json:"mediaType"`
	Text      string `json:"text"`
}

// cosignLayouts are the ways in which cosign stores a statement about an artifact.
var cosignLayouts = []struct {
	name string
	args []string // of cosign, without the key and the artifact.
	env  string
	want signature.Code // "" if the statement is a signature.
}{
	{name: "tag", args: []string{"sign"}},
	{name: "annotations", args: []string{"sign", "-a", "env=prod", "-a", "by=ada", "--record-creation-timestamp"}},
	{name: "docker-types", args: []string{"sign"}, env: "COSIGN_DOCKER_MEDIA_TYPES=1"},
	{name: "referrer", args: []string{"sign", "--registry-referrers-mode=oci-1-1"}, env: "COSIGN_EXPERIMENTAL=1"},
	{name: "bundle", args: []string{"sign", "--new-bundle-format"}},
	{name: "attestation", args: []string{"attest", "--type=custom", "--predicate=predicate.json"}, want: signature.Unsigned},
	{name: "bundle-attestation", args: []string{"attest", "--new-bundle-format", "--type=custom", "--predicate=predicate.json"}, want: signature.Unknown},
}

// cosignKeys are the kinds of keys that cosign makes or imports.
var cosignKeys = []string{"p256", "p384", "p521", "rsa2048", "ed25519"}

func readRecorded(t testing.TB, layout string) recorded {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cosign", layout+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// serve starts a registry with the recorded content. With listed, it lists referrers; otherwise, clients read them from a tag.
func (r recorded) serve(t *testing.T, listed bool) *world {
	t.Helper()
	w := startRegistry(t)
	for _, text := range r.Blobs {
		w.Blob("", text)
	}
	for digest, m := range r.Manifests {
		var tags []string
		for tag, at := range r.Tags {
			if at == digest {
				tags = append(tags, tag)
			}
		}
		w.Raw(m.MediaType, []byte(m.Text), tags...)
	}
	if !listed {
		w.Before = func(out http.ResponseWriter, r *http.Request) bool {
			missing := strings.Contains(r.URL.Path, "/referrers/")
			if missing {
				http.NotFound(out, r)
			}
			return missing
		}
	}
	return w
}

// rewrite changes the texts of the registry, and then all digests and sizes that follow from that: first blobs, then manifests, then lists of referrers. The
// artifact itself stays.
func (r recorded) rewrite(blob func([]byte) []byte, manifest func(text string) string) recorded {
	out := r
	out.Tags, out.Manifests, out.Blobs = map[string]string{}, map[string]shown{r.Artifact: r.Manifests[r.Artifact]}, map[string][]byte{}
	var names []string
	rename := func(digest string, was, now []byte) string {
		to := registry.Digest(now)
		names = append(names, `"size":`+fmt.Sprint(len(was))+`,"digest":"`+digest, `"size":`+fmt.Sprint(len(now))+`,"digest":"`+to, digest, to)
		return to
	}
	for digest, text := range r.Blobs {
		now := blob(text)
		out.Blobs[rename(digest, text, now)] = now
	}
	isList := func(m shown) bool { return strings.HasSuffix(m.MediaType, ".index.v1+json") }
	for _, lists := range []bool{false, true} {
		replace := strings.NewReplacer(names...)
		for digest, m := range r.Manifests {
			if isList(m) != lists || digest == r.Artifact {
				continue
			}
			was := m.Text
			m.Text = replace.Replace(manifest(was))
			out.Manifests[rename(digest, []byte(was), []byte(m.Text))] = m
		}
	}
	replace := strings.NewReplacer(names...)
	for tag, digest := range r.Tags {
		out.Tags[manifest(tag)] = replace.Replace(digest)
	}
	return out
}

// keyFile writes one of the recorded keys into a file.
func (r recorded) keyFile(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cosign.pub")
	if err := os.WriteFile(file, []byte(r.Keys[name]), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCosign verifies the content that the real cosign stored in a real registry, with each key and with the key of a stranger.
func TestCosign(t *testing.T) {
	stranger := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	for _, layout := range cosignLayouts {
		for _, listed := range []bool{false, true} {
			t.Run(fmt.Sprint(layout.name, " listed ", listed), func(t *testing.T) {
				r := readRecorded(t, layout.name)
				w := r.serve(t, listed)
				for _, name := range cosignKeys {
					rev, _, err := verified(t, follow(t, Config{URL: w.url, Tag: "prod", KeyFiles: []string{r.keyFile(t, name)}}))
					if rev.Commit != r.Artifact || fault(err) != layout.want || (err == nil) != (layout.want == "") {
						t.Errorf("%s: %+v, %v", name, rev, err)
					}
				}
				want := cmp.Or(layout.want, signature.Unknown)
				if _, _, err := verified(t, follow(t, Config{URL: w.url, Tag: "prod", KeyFiles: []string{stranger.file}})); fault(err) != want {
					t.Errorf("by no key: %v", err)
				}
			})
		}
	}
}

// statementOf returns the signed statement of a blob of cosign, and a function that puts a changed one back. It is nil if the blob has none.
func statementOf(blob []byte) (statement []byte, put func([]byte) []byte) {
	var bundle struct {
		Envelope struct {
			Payload []byte `json:"payload"`
		} `json:"dsseEnvelope"`
	}
	switch {
	case json.Unmarshal(blob, &bundle) == nil && bundle.Envelope.Payload != nil:
		return bundle.Envelope.Payload, func(now []byte) []byte {
			return bytes.ReplaceAll(blob, []byte(base64.StdEncoding.EncodeToString(bundle.Envelope.Payload)), []byte(base64.StdEncoding.EncodeToString(now)))
		}
	case bytes.Contains(blob, []byte(`"critical"`)):
		return blob, func(now []byte) []byte { return now }
	}
	return nil, nil
}

// TestAttackCosign changes the content that the real cosign signed, or moves the signatures to another artifact. No signature then counts.
func TestAttackCosign(t *testing.T) {
	same := func(blob []byte) []byte { return blob }
	inStatement := func(from, to string) func([]byte) []byte {
		return func(blob []byte) []byte {
			if statement, put := statementOf(blob); put != nil {
				return put(bytes.ReplaceAll(statement, []byte(from), []byte(to)))
			}
			return blob
		}
	}
	tried := 0
	for _, layout := range cosignLayouts {
		if layout.want != "" {
			continue
		}
		r := readRecorded(t, layout.name)
		other := packedFiles(t, "a.yaml", "of somebody else")
		otherIn := func(w *world) registry.Descriptor {
			return w.Put(registry.Manifest{Layers: []registry.Descriptor{w.Blob(registry.LayerType, other)}}, "prod")
		}
		to := otherIn(startRegistry(t)).Digest
		hex, toHex := strings.TrimPrefix(r.Artifact, "sha256:"), strings.TrimPrefix(to, "sha256:")
		stay := func(text string) string { return text }
		move := func(text string) string { return strings.ReplaceAll(text, hex, toHex) }
		signatures := regexp.MustCompile(`("dev.cosignproject.cosign/signature":|"sig":)"[^"]{8}`)
		for name, c := range map[string]struct {
			blob     func([]byte) []byte
			manifest func(string) string
			moved    bool
		}{
			"moved":              {same, move, true},
			"moved, and says so": {inStatement(hex, toHex), move, true},
			"another type":       {inStatement("cosign container image signature", "atomic container signature"), stay, false},
			"another predicate":  {inStatement("https://sigstore.dev/cosign/sign/v1", "https://sigstore.dev/cosign/sign/v2"), stay, false},
			"another part":       {inStatement("}", "} "), stay, false},
			"another signature":  {func(b []byte) []byte { return signatures.ReplaceAll(b, []byte(`$1"AAAAAAAA`)) }, func(m string) string { return signatures.ReplaceAllString(m, `$1"AAAAAAAA`) }, false},
			"no signature":       {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"sig"`), []byte(`"gis"`)) }, func(m string) string { return strings.ReplaceAll(m, "cosign/signature", "cosign/nothing") }, false},
			"an envelope of another type": {func(b []byte) []byte {
				return bytes.ReplaceAll(b, []byte("application/vnd.in-toto+json"), []byte("application/vnd.in-toto+text"))
			}, func(m string) string { return strings.ReplaceAll(m, ".simplesigning.v1", ".simplesigning.v2") }, false},
		} {
			changed := r.rewrite(c.blob, c.manifest)
			if reflect.DeepEqual(changed, r) {
				continue // the layout has no such part
			}
			tried++
			if c.moved {
				delete(changed.Tags, "prod")
			}
			for _, listed := range []bool{false, true} {
				t.Run(fmt.Sprint(layout.name, " ", name, " listed ", listed), func(t *testing.T) {
					w := changed.serve(t, listed)
					if c.moved {
						otherIn(w)
					}
					var files []string
					for key := range r.Keys {
						files = append(files, r.keyFile(t, key))
					}
					if rev, _, err := verified(t, follow(t, Config{URL: w.url, Tag: "prod", KeyFiles: files})); fault(err) == "" {
						t.Errorf("%+v, %v", rev, err)
					}
				})
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d changes were tried", tried)
	}
}
