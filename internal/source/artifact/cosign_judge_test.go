package artifact

import (
	"crypto"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/standin/registry"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var update = flag.Bool("update", false, "record what the real cosign stores in a real registry")

// cosignVariable is the name of the environment variable with the path of the real cosign.
const cosignVariable = "STACKREEVE_TEST_COSIGN"

// cosign is the real program, in a folder with its keys.
type cosign struct{ program, dir string }

func newCosign(t *testing.T) cosign {
	t.Helper()
	c := cosign{testcost.Program(t, cosignVariable), t.TempDir()}
	c.write(t, "predicate.json", []byte(`{"reviewed":true}`))
	c.run(t, "", "generate-key-pair", "--output-key-prefix=p256")
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{"p384": ecdsaKey(t, elliptic.P384()), "p521": ecdsaKey(t, elliptic.P521()), "rsa2048": long, "ed25519": ed} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		c.write(t, name+".pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		c.run(t, "", "import-key-pair", "--key="+name+".pem", "--output-key-prefix="+name)
	}
	return c
}

func (c cosign) write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs cosign without a password, and with nothing of the environment but env.
func (c cosign) run(t *testing.T, env string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.program, args...)
	cmd.Dir, cmd.Env = c.dir, []string{"HOME=" + c.dir, "COSIGN_PASSWORD=", env}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("cosign %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c cosign) public(key string) string { return filepath.Join(c.dir, key+".pub") }

// state makes a statement about an artifact in a registry. Nothing is published in a log.
func (c cosign) state(t *testing.T, env string, args []string, key, artifact string) {
	t.Helper()
	c.run(t, env, slices.Concat(args, []string{"--yes", "--tlog-upload=false", "--key=" + key + ".key", artifact})...)
}

// TestRealCosign signs with each key in each layout, with a real registry. `go test -update` records the registry for other tests, which need
// neither cosign nor a registry.
func TestRealCosign(t *testing.T) {
	testcost.Long(t)                      // real servers start
	testcost.Program(t, registryVariable) // before its parts, or else only they are skipped
	c := newCosign(t)
	for _, layout := range cosignLayouts {
		t.Run(layout.name, func(t *testing.T) {
			r, w := startRealRegistry(t, ""), startRegistry(t)
			at := w.push(t, "prod", "a.yaml", "one")
			r.mirror(t, w, "prod")
			reads := func(key string) error {
				rev, _, err := verified(t, follow(t, Config{URL: r.url(), Tag: "prod", KeyFiles: []string{c.public(key)}}))
				if rev.Commit != at.Digest {
					t.Errorf("%s: %+v", key, rev)
				}
				return err
			}
			for i, key := range cosignKeys {
				if err := reads(key); fault(err) == "" {
					t.Errorf("%s counts before it signs: %v", key, err)
				}
				c.state(t, layout.env, layout.args, key, strings.TrimPrefix(r.url(), scheme)+"@"+at.Digest)
				for _, signed := range cosignKeys[:i+1] {
					if err := reads(signed); fault(err) != layout.want || (err == nil) != (layout.want == "") {
						t.Errorf("%s after %s: %v", signed, key, err)
					}
				}
			}
			if *update {
				c.record(t, r, at.Digest, layout.name)
			}
		})
	}
}

// TestRealCosignOfAnIndex signs an index and all that it lists. An index is never used, and what it lists is verified.
func TestRealCosignOfAnIndex(t *testing.T) {
	testcost.Long(t)                      // real servers start
	testcost.Program(t, registryVariable) // before its parts, or else only they are skipped
	c := newCosign(t)
	for _, args := range [][]string{{"sign", "--recursive"}, {"sign", "--recursive", "--new-bundle-format"}} {
		r, w := startRealRegistry(t, ""), startRegistry(t)
		at := w.push(t, "prod", "a.yaml", "one")
		text, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": []registry.Descriptor{at}})
		if err != nil {
			t.Fatal(err)
		}
		all := w.Raw(indexType, text, "all")
		r.mirror(t, w, "all", "prod")
		c.state(t, "", args, "p256", strings.TrimPrefix(r.url(), scheme)+"@"+all.Digest)
		keys := []string{c.public("p256")}
		if rev, _, err := verified(t, follow(t, Config{URL: r.url(), Digest: at.Digest, KeyFiles: keys})); err != nil || rev.Commit != at.Digest {
			t.Errorf("%v: %+v, %v", args, rev, err)
		}
		for _, cfg := range []Config{{Tag: "all"}, {Digest: all.Digest}} {
			cfg.URL, cfg.KeyFiles = r.url(), keys
			if _, _, err := follow(t, cfg).Fetch(t.Context()); !errors.Is(err, failure.ErrContent) {
				t.Errorf("%v: the index: %v", args, err)
			}
		}
	}
}

// TestRealCosignOfAnArchive signs a file.
func TestRealCosignOfAnArchive(t *testing.T) {
	testcost.Long(t) // a real program runs
	c := newCosign(t)
	archive := packedFiles(t, "a.yaml", "one")
	c.write(t, "config.tgz", archive)
	for _, key := range cosignKeys {
		if key == "ed25519" {
			continue // sign-blob of cosign 2.6.5 panics with such a key
		}
		c.state(t, "", []string{"sign-blob", "--output-signature=" + key + ".sig"}, key, "config.tgz")
		made, err := os.ReadFile(filepath.Join(c.dir, key+".sig"))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{"/c.tgz": archive, "/c.tgz.sig": made}
		url, _ := serveArchive(t, files)
		a := follow(t, Config{URL: url + "/c.tgz", KeyFiles: []string{c.public(key)}})
		if _, _, err := verified(t, a); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		files["/c.tgz"] = packedFiles(t, "a.yaml", "two")
		if _, _, err := verified(t, a); fault(err) != signature.Unknown {
			t.Errorf("%s, another archive: %v", key, err)
		}
	}
}

const indexType = "application/vnd.oci.image.index.v1+json"

// record writes the content of a registry to which tags lead into a file of testdata.
func (c cosign) record(t *testing.T, from *realRegistry, artifact, name string) {
	t.Helper()
	r := recorded{Artifact: artifact, Keys: map[string]string{}, Tags: map[string]string{}, Manifests: map[string]shown{}, Blobs: map[string][]byte{}}
	for line := range strings.Lines(c.run(t, "", "version")) {
		if _, version, ok := strings.Cut(line, "GitVersion:"); ok {
			r.Cosign = strings.TrimSpace(version)
		}
	}
	for _, key := range cosignKeys {
		text, err := os.ReadFile(c.public(key))
		if err != nil {
			t.Fatal(err)
		}
		r.Keys[key] = string(text)
	}
	get := func(path string) (kind string, text []byte) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+from.host+"/v2/team/config/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", registry.ManifestType+", "+indexType+", application/vnd.docker.distribution.manifest.v2+json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err = io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, resp.Status, err)
		}
		return resp.Header.Get("Content-Type"), text
	}
	var manifest func(ref string) string
	manifest = func(ref string) string {
		kind, text := get("manifests/" + ref)
		digest := registry.Digest(text)
		r.Manifests[digest] = shown{kind, string(text)}
		var m struct {
			registry.Manifest
			Manifests []registry.Descriptor `json:"manifests"`
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		for _, one := range m.Manifests {
			manifest(one.Digest)
		}
		for _, one := range append(m.Layers, m.Config) {
			if one.Digest != "" {
				_, r.Blobs[one.Digest] = get("blobs/" + one.Digest)
			}
		}
		return digest
	}
	var list struct {
		Tags []string `json:"tags"`
	}
	_, text := get("tags/list")
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, tag := range list.Tags {
		r.Tags[tag] = manifest(tag)
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", "cosign", name+".json"), append(text, '\n'), 0o644); err != nil { //nolint:gosec // testdata is public
		t.Fatal(err)
	}
}
