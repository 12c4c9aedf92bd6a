package child_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/kustomize/child"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// outside records what a process does outside of itself: connections to a listener, and runs of git.
type outside struct {
	address     string // host:port
	connections atomic.Int32
	ran         string // a file that the program git writes
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	o := &outside{address: l.Addr().String(), ran: filepath.Join(t.TempDir(), "ran")}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			o.connections.Add(1)
			_, _ = c.Write([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			_ = c.Close()
		}
	}()
	bin := t.TempDir()
	for _, name := range []string{"git", "helm", "ssh", "sh", "plugin"} {
		script := fmt.Sprintf("#!/bin/sh\necho %s >>%s\nexit 1\n", name, o.ran)
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return o
}

// touched describes what was recorded; "" for nothing.
func (o *outside) touched() string {
	programs, _ := os.ReadFile(o.ran)
	if n := o.connections.Load(); n > 0 || len(programs) > 0 {
		return fmt.Sprintf("%d connections, programs %q", n, programs)
	}
	return ""
}

// addresses are the forms of addresses that kustomize fetches or clones.
func (o *outside) addresses() []string {
	return []string{
		"http://" + o.address + "/a.yaml", "https://" + o.address + "/a.yaml", "http://" + o.address + "/r.git?ref=main", "git::http://" + o.address + "/r.git",
		"http://" + o.address + "/r.git//base", "git@" + o.address + ":r.git", "ssh://git@" + o.address + "/r.git", "github.com/acme/r?ref=main", "git@github.com:acme/r.git",
		"file:///etc", "HTTP://" + o.address + "/a.yaml",
	}
}

// fields are kustomizations with a place for a path.
var fields = map[string]string{
	"resources":             "resources: [%s]\n",
	"components":            "components: [%s]\n",
	"bases":                 "bases: [%s]\n",
	"crds":                  "crds: [%s]\n",
	"configurations":        "configurations: [%s]\n",
	"generators":            "generators: [%s]\n",
	"transformers":          "transformers: [%s]\n",
	"validators":            "validators: [%s]\n",
	"openapi":               "openapi: {path: %s}\n",
	"patches":               "patches: [{path: %s}]\n",
	"patchesStrategicMerge": "patchesStrategicMerge: [%s]\n",
	"patchesJson6902":       "patchesJson6902: [{path: %s, target: {kind: Network, name: web, version: v1}}]\n",
	"replacements":          "replacements: [{path: %s}]\n",
	"files":                 "configMapGenerator: [{name: a, files: [%s]}]\n",
	"keyed files":           "configMapGenerator: [{name: a, files: ['key=%s']}]\n",
	"envs":                  "configMapGenerator: [{name: a, envs: [%s]}]\n",
	"env":                   "configMapGenerator: [{name: a, env: %s}]\n",
	"secret files":          "secretGenerator: [{name: a, files: [%s]}]\n",
	"helm":                  "helmCharts: [{name: a, repo: %s}]\n",
	"helm globals":          "helmGlobals: {chartHome: %s}\nhelmCharts: [{name: a}]\n",
	"helm inflation":        "helmChartInflationGenerator: [{chartName: a, chartRepoUrl: %s}]\n",
	"unknown":               "remote: %s\n",
}

// TestHostile tries each field with each kind of address and path that leads out of the folder. Each is refused with its
// file and line, and nothing is fetched or run.
func TestHostile(t *testing.T) {
	o := newOutside(t)
	paths := append(o.addresses(), "../../etc/passwd", "/etc/passwd", "/", "..", "../other/web.yaml", "link.yaml", "folder-link/web.yaml", "missing.yaml", "", `..\base`, "loop")
	for name, text := range fields {
		for _, path := range paths {
			if name == "env" && path == "" {
				continue // an empty field is a missing one
			}
			t.Run(name+" "+path, func(t *testing.T) {
				files := fstest.MapFS{
					"prod/kustomization.yaml":       {Data: []byte("namePrefix: x-\n" + fmt.Sprintf(text, "'"+path+"'"))},
					"prod/link.yaml":                {Data: []byte("../other/web.yaml"), Mode: fs.ModeSymlink},
					"prod/folder-link":              {Data: []byte("../other"), Mode: fs.ModeSymlink},
					"prod/loop/kustomization.yaml":  {Data: []byte("resources: [../loop]\ncomponents: [.]\n")},
					"other/web.yaml":                {Data: []byte(network)},
					"other/kustomization.yaml":      {Data: []byte("resources: [web.yaml]\n")},
					"github.com/acme/r/ignored.txt": {Data: []byte("a folder with the name of a repository\n")},
				}
				if name == "keyed files" {
					files["prod/kustomization.yaml"].Data = []byte("namePrefix: x-\n" + fmt.Sprintf(text, path))
				}
				_, err := kustomize.Load(t.Context(), kustomize.Tree{Files: files, Root: "prod", Folders: []string{"prod"}}, new(child.Runner).Build)
				var problems manifest.Problems
				if !errors.As(err, &problems) {
					t.Fatalf("got %v, want problems", err)
				}
				if at := problems[0].Origin; !strings.HasPrefix(at.File, "prod") || at.Line == 0 {
					t.Errorf("the problem is at %v: %v", at, problems)
				}
			})
		}
	}
	if got := o.touched(); got != "" {
		t.Error(got)
	}
}

// TestNamesOfRepositories lets the folder contain files whose names are addresses. They are files, and are built as such.
func TestNamesOfRepositories(t *testing.T) {
	o := newOutside(t)
	files := map[string]string{
		"kustomization.yaml":                   "resources: [github.com/acme/r, 'http:" + o.address + ".yaml']\n",
		"github.com/acme/r/kustomization.yaml": "resources: [web.yaml]\n",
		"github.com/acme/r/web.yaml":           network,
	}
	_, err := kustomize.Load(t.Context(), tree(".", files), new(child.Runner).Build)
	if err == nil {
		t.Error("a file with the name of an address was accepted")
	}
	files["kustomization.yaml"] = "resources: [github.com/acme/r]\n"
	if got := lines(t, tree(".", files)); !strings.Contains(got, "kind: Network") {
		t.Errorf("got %s", got)
	}
	if got := o.touched(); got != "" {
		t.Error(got)
	}
}

// TestProcess gives the process hostile kustomizations that nobody has checked. It reaches nothing, either.
func TestProcess(t *testing.T) {
	testcost.NotUnderRace(t) // it starts hundreds of processes, each of which has one goroutine of ours
	o := newOutside(t)
	for name, text := range fields {
		for _, address := range o.addresses() {
			t.Run(name+" "+address, func(t *testing.T) {
				out, err := new(child.Runner).Build(t.Context(), kustomize.Input{Root: "/a", Files: map[string][]byte{
					"/a/kustomization.yaml": []byte(fmt.Sprintf(text, "'"+address+"'"))}})
				if err == nil && out.Error == "" && len(out.Documents) > 0 {
					t.Errorf("made %d documents", len(out.Documents))
				}
			})
		}
	}
	if got := o.touched(); got != "" {
		t.Error(got)
	}
}
