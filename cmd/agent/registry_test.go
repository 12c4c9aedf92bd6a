package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stackreeve/stackreeve/internal/standin/registry"
)

// registries contains the registries of scripts, which run at the same time.
type registries struct{ byScript sync.Map }

// push pushes an artifact with files under a tag: registry TAG [FILE...]. The first call starts a registry, and writes the address of its
// repository into the script's environment.
func (r *registries) push(ts *testscript.TestScript, _ bool, args []string) {
	world, ok := r.byScript.Load(ts.Name())
	if !ok {
		made := registry.New()
		server := httptest.NewServer(made)
		ts.Defer(server.Close)
		ts.Setenv("REGISTRY", strings.Replace(server.URL, "http://", "oci://", 1)+"/team/config")
		r.byScript.Store(ts.Name(), made)
		world = made
	}
	var text bytes.Buffer
	zip := gzip.NewWriter(&text)
	out := tar.NewWriter(zip)
	for _, name := range args[1:] {
		content, err := os.ReadFile(ts.MkAbs(name))
		ts.Check(err)
		ts.Check(out.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}))
		_, err = out.Write(content)
		ts.Check(err)
	}
	ts.Check(out.Close())
	ts.Check(zip.Close())
	w := world.(*registry.World)
	w.Put(registry.Manifest{Layers: []registry.Descriptor{w.Blob(registry.LayerType, text.Bytes())}}, args[0])
}
