// Package registry simulates a registry of OCI artifacts, as far as they are pulled: manifests by tag and digest, blobs, referrers,
// lists of tags, and tokens.
// Function calls put artifacts into it.
package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Media types of the parts of an artifact.
const (
	ManifestType = "application/vnd.oci.image.manifest.v1+json"
	ConfigType   = "application/vnd.cncf.flux.config.v1+json"
	LayerType    = "application/vnd.cncf.flux.content.v1.tar+gzip"
)

// Descriptor names content by its digest.
type Descriptor struct {
	MediaType    string            `json:"mediaType"`
	Digest       string            `json:"digest"`
	Size         int               `json:"size"`
	ArtifactType string            `json:"artifactType,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// Manifest is a manifest of an artifact.
type Manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	ArtifactType  string            `json:"artifactType,omitempty"`
	Config        Descriptor        `json:"config"`
	Layers        []Descriptor      `json:"layers"`
	Subject       *Descriptor       `json:"subject,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type content struct {
	kind string
	text []byte
}

// World is a registry with one repository, whose name does not matter.
type World struct {
	mu        sync.Mutex
	blobs     map[string]content // by digest
	manifests map[string]content // by digest and by tag
	referrers map[string][]Descriptor

	// User and Password are the login that every request needs; "" if there is none. Tokens are given for it at /token.
	User, Password string
	// ShownType is the type that the list of referrers shows in place of the true one; "" for the true one.
	ShownType string
	// Before is called before each request. If it returns true, it has answered the request. It may be nil.
	Before func(w http.ResponseWriter, r *http.Request) bool
	asked  []string
}

// New returns an empty registry.
func New() *World {
	return &World{blobs: map[string]content{}, manifests: map[string]content{}, referrers: map[string][]Descriptor{}}
}

// Digest returns the digest of a text.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Blob stores a blob, and returns its descriptor.
func (w *World) Blob(kind string, text []byte) Descriptor {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := Descriptor{MediaType: kind, Digest: Digest(text), Size: len(text)}
	w.blobs[d.Digest] = content{kind, text}
	return d
}

// Put stores a manifest under its digest and under tags.
func (w *World) Put(m Manifest, tags ...string) Descriptor {
	m.SchemaVersion = 2
	if m.MediaType == "" {
		m.MediaType = ManifestType
	}
	if m.Config.Digest == "" {
		m.Config = w.Blob(ConfigType, []byte("{}"))
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // cannot happen: the value contains only strings and numbers
	}
	return w.Raw(m.MediaType, text, tags...)
}

// Raw stores any text as a manifest. If the manifest has a subject, it becomes a referrer of it. A referrer without a type is shown with the type of its
// config, as OCI requires.
func (w *World) Raw(kind string, text []byte, tags ...string) Descriptor {
	var m Manifest
	_ = json.Unmarshal(text, &m) // other texts have no subject
	w.mu.Lock()
	defer w.mu.Unlock()
	d := Descriptor{MediaType: kind, Digest: Digest(text), Size: len(text), ArtifactType: m.ArtifactType}
	for _, ref := range append(tags, d.Digest) {
		w.manifests[ref] = content{kind, text}
	}
	if m.Subject != nil {
		shown := d
		shown.ArtifactType = cmp.Or(m.ArtifactType, m.Config.MediaType)
		w.referrers[m.Subject.Digest] = append(w.referrers[m.Subject.Digest], shown)
	}
	return d
}

// Asked returns the requests since the last call, as methods and paths.
func (w *World) Asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

const token = "token-of-the-registry"

// ServeHTTP implements http.Handler.
func (w *World) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked = append(w.asked, r.Method+" "+r.URL.Path)
	before := w.Before
	w.mu.Unlock()
	if before != nil && before(out, r) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.admits(out, r) {
		return
	}
	if strings.HasPrefix(r.URL.Path, "/v2/") && strings.HasSuffix(r.URL.Path, "/tags/list") {
		w.listTags(out, r)
		return
	}
	repository, ref := "", ""
	for part, find := range map[string]func(string) (content, bool){
		"manifests": func(ref string) (content, bool) { c, ok := w.manifests[ref]; return c, ok },
		"blobs":     func(ref string) (content, bool) { c, ok := w.blobs[ref]; return c, ok },
		"referrers": w.index,
	} {
		var ok bool
		if repository, ref, ok = strings.Cut(r.URL.Path, "/"+part+"/"); !ok || !strings.HasPrefix(repository, "/v2/") {
			continue
		}
		found, ok := find(ref)
		if !ok {
			refuse(out, http.StatusNotFound, strings.ToUpper(strings.TrimSuffix(part, "s"))+"_UNKNOWN")
			return
		}
		out.Header().Set("Content-Type", found.kind)
		out.Header().Set("Content-Length", strconv.Itoa(len(found.text)))
		out.Header().Set("Docker-Content-Digest", Digest(found.text))
		if r.Method != http.MethodHead {
			_, _ = out.Write(found.text) // the client may have gone away
		}
		return
	}
	refuse(out, http.StatusNotFound, "UNSUPPORTED")
}

// listTags answers a page of tags: n of them after the tag last, and a link to the next page.
func (w *World) listTags(out http.ResponseWriter, r *http.Request) {
	tags := slices.DeleteFunc(slices.Sorted(maps.Keys(w.manifests)), func(ref string) bool { return strings.HasPrefix(ref, "sha256:") || ref <= r.FormValue("last") })
	if n, err := strconv.Atoi(r.FormValue("n")); err == nil && n > 0 && n < len(tags) {
		tags = tags[:n]
		out.Header().Set("Link", fmt.Sprintf("<%s?n=%d&last=%s>; rel=\"next\"", r.URL.Path, n, tags[n-1]))
	}
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(map[string]any{"name": strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/v2/"), "/tags/list"), "tags": tags}) // the client may have gone away
}

// index returns the list of referrers of a digest.
func (w *World) index(digest string) (content, bool) {
	const kind = "application/vnd.oci.image.index.v1+json"
	list := append([]Descriptor{}, w.referrers[digest]...)
	for i := range list {
		list[i].ArtifactType = cmp.Or(w.ShownType, list[i].ArtifactType)
	}
	text, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": kind, "manifests": list})
	return content{kind, text}, err == nil
}

// admits checks the login of a request, and gives tokens.
func (w *World) admits(out http.ResponseWriter, r *http.Request) bool {
	switch {
	case w.User == "":
		return true
	case r.URL.Path == "/token":
		user, password, _ := r.BasicAuth()
		if user != w.User || password != w.Password {
			refuse(out, http.StatusUnauthorized, "UNAUTHORIZED")
			return false
		}
		fmt.Fprintf(out, `{"token": %q}`, token)
		return false
	case r.Header.Get("Authorization") != "Bearer "+token:
		out.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",service="registry",scope="repository:x:pull"`, r.Host))
		refuse(out, http.StatusUnauthorized, "UNAUTHORIZED")
		return false
	}
	return true
}

func refuse(out http.ResponseWriter, status int, code string) {
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	fmt.Fprintf(out, `{"errors": [{"code": %q, "message": "no"}]}`, code)
}
