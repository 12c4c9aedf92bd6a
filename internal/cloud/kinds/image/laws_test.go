package image_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, d defaults.Defaults) []*kind.Kind { return []*kind.Kind{image.Kind(c, d)} }

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: os}\nspec: "

func TestImport(t *testing.T) {
	tests := []struct {
		name, spec string
		code       cause.Code // "" if the image is found
	}{
		{"by name", `{managementPolicy: unmanaged, import: {filter: {name: centos79}}}`, ""},
		{"by name and visibility", `{managementPolicy: unmanaged, import: {filter: {name: centos79, visibility: public}}}`, ""},
		{"of another visibility", `{managementPolicy: unmanaged, import: {filter: {name: centos79, visibility: community}}}`, cause.NoName},
		{"misspelt", `{managementPolicy: unmanaged, import: {filter: {name: centos97}}}`, cause.NearestNames},
		{"by a tag nobody has", `{managementPolicy: unmanaged, import: {filter: {tags: [no-such-tag]}}}`, cause.NoMatch},
		{"by ID", `{managementPolicy: unmanaged, import: {id: 00000000-0000-0000-0000-000000000000}}`, cause.NoID},
	}
	g := kindtest.NewTarget(t, kinds)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step := g.Plan(head + tt.spec).Steps[0]
			if tt.code == "" && step.Action != plan.Keep || tt.code != "" && !step.Causes.Has(tt.code) {
				t.Errorf("%s: %q, want %s", step.Action, step.FullCause(), tt.code)
			}
		})
	}
}

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: web}
spec:
  resource:
    name: web-1
    tags: [blue, green]
    visibility: private
    properties:
      architecture: x86_64
      minDiskGB: 2
      hardware: {cpuCores: 2, qemuGuestAgent: true}
      operatingSystem: {distro: debian}
    content:
      diskFormat: qcow2
      download:
        url: URL
        hash: {algorithm: sha256, value: HASH}
`

// disk is the content that is uploaded.
var disk = strings.Repeat("an image of a disk\n", 50)

// web serves files on the loopback address, and counts the requests for each.
type web struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string]string
	asked map[string]int
}

func serve(t *testing.T, files map[string]string) *web {
	t.Helper()
	s := &web{files: files, asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[r.URL.Path]++
		text, ok := s.files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if to, redirects := strings.CutPrefix(text, "to "); redirects {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *web) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// from returns the kinds of an agent that may download from 127.0.0.1.
func from(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
	d.ImageHosts = []string{"127.0.0.1"}
	return []*kind.Kind{image.Kind(c, d)}
}

func sha(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func TestLaws(t *testing.T) {
	s := serve(t, map[string]string{"/disk.img": disk, "/other.img": disk + "."})
	text := strings.NewReplacer("URL", s.URL+"/disk.img", "HASH", sha(disk)).Replace(object)
	kindtest.Suite{
		Kinds: from, Object: text,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Image", Namespace: "default", Name: "web"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.visibility", Old: "visibility: private", New: "visibility: shared"},
			{Field: "spec.resource.properties.minDiskGB", Old: "minDiskGB: 2", New: "minDiskGB: 3"},
			{Field: "spec.resource.properties.architecture", Old: "architecture: x86_64", New: "architecture: aarch64"},
			{Field: "spec.resource.properties.hypervisorType", Old: "architecture: x86_64", New: "architecture: x86_64\n      hypervisorType: qemu"},
			{Field: "spec.resource.properties.minMemoryMB", Old: "minDiskGB: 2", New: "minDiskGB: 2\n      minMemoryMB: 512"},
			{Field: "spec.resource.properties.hardware", Old: "cpuCores: 2, qemuGuestAgent: true", New: "cpuCores: 4, qemuGuestAgent: false"},
			{Field: "spec.resource.properties.operatingSystem", Old: "distro: debian", New: "distro: ubuntu, version: \"24.04\""},
			{Field: "spec.resource.content.diskFormat", Old: "diskFormat: qcow2", New: "diskFormat: raw", Replaces: true},
			{Field: "spec.resource.content.containerFormat", Old: "diskFormat: qcow2", New: "diskFormat: qcow2\n      containerFormat: ovf", Replaces: true},
			{Field: "spec.resource.content.download.url", Old: s.URL + "/disk.img\n        hash: {algorithm: sha256, value: " + sha(disk) + "}", New: s.URL + "/other.img",
				Replaces: true, PlanOnly: true, Also: []string{"spec.resource.content.download.hash"}},
			{Field: "spec.resource.content.download.hash", Old: "url: " + s.URL + "/disk.img\n        hash: {algorithm: sha256, value: " + sha(disk), New: "url: " + s.URL + "/other.img\n        hash: {algorithm: sha256, value: " + sha(disk+"."),
				Replaces: true, Also: []string{"spec.resource.content.download.url"}},
			{Field: "spec.resource.content.download.decompress", Old: "/disk.img", New: "/disk.img\n        decompress: gz", Replaces: true, PlanOnly: true},
		},
	}.Run(t)
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Refuses(map[string]string{
		`{diskFormat: qcow2}`: "spec.resource.content.download",
		`{diskFormat: qcow2, download: {url: "file:///etc/passwd"}}`:                                                "spec.resource.content.download.url",
		`{diskFormat: qcow2, download: {url: "https://ann:secret@example.org/os.img"}}`:                             "spec.resource.content.download.url",
		`{diskFormat: qcow2, download: {url: "https://example.org/os.img", hash: {algorithm: sha256, value: abc}}}`: "spec.resource.content.download.hash.value",
		`{diskFormat: qcow2, download: {url: "https://example.org/os.img", hash: {algorithm: md4, value: abc}}}`:    "spec.resource.content.download.hash.algorithm",
		`{diskFormat: floppy, download: {url: "https://example.org/os.img"}}`:                                       "spec.resource.content.diskFormat",
	}, func(content string) string {
		return head + "{resource: {content: " + content + "}}"
	})
	if step := g.Plan(head + "{resource: {name: new}}").Steps[0]; step.Action != plan.Refuse || !strings.Contains(step.FullCause(), "spec.resource.content: is missing") {
		t.Errorf("without content: %s %q", step.Action, step.FullCause())
	}
}
