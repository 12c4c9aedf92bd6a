package thingtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Wanted resolves manifests of Things. Each line is "name field=value …".
func (w *World) Wanted(lines ...string) ([]kind.Desired, error) {
	return w.WantedWithin(resolve.Bounds{}, lines...)
}

// WantedWithin resolves manifests of Things within other bounds than the default.
func (w *World) WantedWithin(bounds resolve.Bounds, lines ...string) ([]kind.Desired, error) {
	files := fstest.MapFS{}
	for file := range slices.Chunk(lines, 5000) { // one file may not have more
		var doc strings.Builder
		for _, line := range file {
			fmt.Fprintf(&doc, "---\n%s\n", Manifest(line))
		}
		files[strings.Repeat("more-", len(files))+"things.yaml"] = &fstest.MapFile{Data: []byte(doc.String())}
	}
	reader := resolve.Reader{Kinds: []*kind.Kind{w.Kind(), Flock()}, Bounds: bounds, Entries: w.Entries, Missing: w.Absent}
	reading, err := reader.Read(context.Background(), files)
	return reading.Want, err
}

// Manifest returns the manifest for a line. If the line begins with "flock", it is the manifest of a [Flock].
func Manifest(line string) string {
	words := strings.Fields(line)
	if words[0] == "flock" {
		return flock(words[1:])
	}
	var resource, annotations, imported []string
	cloud, sought := "", "" // sought is the filter of a managed object
	for _, word := range words[1:] {
		field, value, _ := strings.Cut(word, "=")
		switch field {
		case "atop", "near", "beside":
			resource = append(resource, fmt.Sprintf("%s: [%s]", field, value))
		case "import":
			imported = append(imported, "filter: {name: "+value+"}")
		case "adopt":
			imported = append(imported, "id: "+value)
		case "seek":
			resource, sought = append(resource, "colour: red"), "import: {filter: {name: "+value+"}}"
		case "cloud":
			cloud = ", cloudCredentialsRef: {secretName: s, cloudName: " + value + "}"
		case "take":
			annotations = append(annotations, fmt.Sprintf("stackreeve.dev/adopt: %q", value))
		case "colour", "shape", "weight":
			resource = append(resource, field+": "+value)
		default:
			annotations = append(annotations, fmt.Sprintf("stackreeve.dev/%s: %q", field, value))
		}
	}
	spec := "resource: {" + strings.Join(resource, ", ") + "}"
	switch {
	case len(imported) > 0 && strings.HasPrefix(imported[0], "filter"):
		spec = "managementPolicy: unmanaged, import: {" + imported[0] + "}"
	case sought != "":
		spec += ", " + sought
	case len(imported) > 0:
		spec += ", import: {" + imported[0] + "}"
	}
	return fmt.Sprintf("apiVersion: test/v1\nkind: Thing\nmetadata: {name: %s, annotations: {%s}}\nspec: {%s%s}", words[0], strings.Join(annotations, ", "), spec, cloud)
}

// Key returns the key of a Thing.
func Key(name string) manifest.Key {
	return manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: name}
}

// Files returns a repository of n Things. The argument near returns the numbers of the Things that a Thing is near.
func Files(n int, near func(i int) []int) fstest.MapFS {
	files := fstest.MapFS{}
	for i := range n {
		name := fmt.Sprintf("%03d.yaml", i/500)
		if files[name] == nil {
			files[name] = &fstest.MapFile{}
		}
		var names []string
		for _, j := range near(i) {
			names = append(names, fmt.Sprintf("t%05d", j))
		}
		files[name].Data = fmt.Appendf(files[name].Data, "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: t%05d}\nspec: {resource: {near: [%s]}}\n", i, strings.Join(names, ", "))
	}
	return files
}
