package artifact

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/standin/registry"
)

// packedFiles returns a compressed tar file with files, given as pairs of a name and a content.
func packedFiles(t testing.TB, files ...string) []byte {
	t.Helper()
	var heads []tar.Header
	var texts []string
	for i := 0; i < len(files); i += 2 {
		heads, texts = append(heads, tar.Header{Name: files[i], Typeflag: tar.TypeReg, Mode: 0o644}), append(texts, files[i+1])
	}
	return packEntries(t, heads, texts)
}

func packEntries(t testing.TB, heads []tar.Header, texts []string) []byte {
	t.Helper()
	var made bytes.Buffer
	zip := gzip.NewWriter(&made)
	out := tar.NewWriter(zip)
	for i := range heads {
		head := heads[i]
		if i < len(texts) {
			head.Size = int64(len(texts[i]))
		}
		if err := out.WriteHeader(&head); err != nil {
			t.Fatal(err)
		}
		if i < len(texts) {
			if _, err := out.Write([]byte(texts[i])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return made.Bytes()
}

// world is a registry, and the address of its repository.
type world struct {
	*registry.World
	url string
}

func startRegistry(t *testing.T) *world {
	t.Helper()
	w := registry.New()
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return &world{w, strings.Replace(server.URL, "http://", scheme, 1) + "/team/config"}
}

// push stores an artifact with these files under a tag, and returns its digest.
func (w *world) push(t *testing.T, tag string, files ...string) registry.Descriptor {
	t.Helper()
	return w.Put(registry.Manifest{
		Layers:      []registry.Descriptor{w.Blob(registry.LayerType, packedFiles(t, files...))},
		Annotations: map[string]string{"org.opencontainers.image.revision": "main@sha1:abc", "org.opencontainers.image.source": "https://git.example/x", "org.opencontainers.image.created": "2026-01-02T03:04:05Z"},
	}, tag)
}

func follow(t *testing.T, cfg Config) *Artifact {
	t.Helper()
	a, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// verified fetches and verifies an artifact. Its files can be read if and only if it is verified.
func verified(t *testing.T, a *Artifact) (rev source.Revision, changed bool, err error) {
	t.Helper()
	if rev, changed, err = a.Fetch(t.Context()); err != nil {
		return rev, changed, err
	}
	rev.Signed, err = a.Verify(t.Context(), rev.Commit)
	if _, read := fs.Stat(rev.Files, "."); (read == nil) != (err == nil) || err != nil && !errors.As(read, new(*source.Unverified)) {
		t.Errorf("verified: %v; the files: %v", err, read)
	}
	return rev, changed, err
}

// fault returns the reason why an artifact is not verified; "" if err is another error.
func fault(err error) signature.Code {
	if refused := (*source.Unverified)(nil); errors.As(err, &refused) {
		return refused.Doubts[0].Fault.Code
	}
	return ""
}

// serveArchive serves an archive with an ETag. asked has the headers of the requests so far.
func serveArchive(t *testing.T, files map[string][]byte) (url string, asked *[]http.Header) {
	t.Helper()
	asked = &[]http.Header{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Header.Clone())
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		etag := `"` + registry.Digest(text) + `"`
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}
