package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// layered loads folders as layers, in their order.
func layered(files fstest.MapFS, folders ...string) (manifest.Loaded, error) {
	opts := kinds()
	opts.Schemas = func(_, kind string) manifest.Type {
		if kind != "Network" {
			return manifest.Type{}
		}
		return manifest.TypeFor[struct {
			Spec network `json:"spec"`
		}]()
	}
	var parts []manifest.Part
	for i, folder := range folders {
		parts = append(parts, manifest.Part{Name: ".", Files: files, Folder: folder, Layer: i})
	}
	return manifest.LoadParts(parts, opts)
}

// net begins the manifest of a network.
func net(name string) string {
	return "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: " + name + "}\n"
}

type networkBody struct {
	Spec network `json:"spec"`
}

// fieldOf returns a field of spec.resource as JSON.
func fieldOf(t *testing.T, o *manifest.Object, name string) string {
	t.Helper()
	var into networkBody
	if problems := o.Decode(&into); len(problems) > 0 {
		t.Fatal(problems)
	}
	text, err := json.Marshal(into.Spec.Resource)
	if err != nil {
		t.Fatal(err)
	}
	var resource map[string]json.RawMessage
	if err := json.Unmarshal(text, &resource); err != nil {
		t.Fatal(err)
	}
	return string(resource[name])
}

func TestLayers(t *testing.T) {
	base := net("a") + `spec:
  resource:
    cidr: 10.0.0.0/24
    mtu: 1500
    tags: [x]
    dns: [10.0.0.1]
    options: {a: b, c: d}
    peers: [{host: one, address: 10.0.0.1}, {host: two, address: 10.0.0.2}]
`
	in := func(file string, line int) manifest.Origin {
		return manifest.Origin{File: file + "/a.yaml", Line: line}
	}
	for name, c := range map[string]struct {
		over, field, want string
		at                manifest.Origin
	}{
		"a scalar":                {"mtu: 9000", "mtu", "9000", in("prod", 4)},
		"what stays":              {"mtu: 9000", "cidr", `"10.0.0.0/24"`, in("base", 6)},
		"a list":                  {"tags: [z]", "tags", `["z"]`, in("prod", 4)},
		"null":                    {"dns: null", "dns", "", in("base", 5)},
		"a mapping":               {"options: {a: null, e: f}", "options", `{"c":"d","e":"f"}`, in("base", 10)},
		"a mapping that replaces": {"options: {$patch: replace, e: f}", "options", `{"e":"f"}`, in("prod", 4)},
		"a new mapping":           {"credentials: {pin: 7}", "credentials", `{"pin":7}`, in("prod", 4)},
		"an element":              {"peers: [{host: two, address: 10.0.0.9}]", "peers", `[{"host":"one","address":"10.0.0.1"},{"host":"two","address":"10.0.0.9"}]`, in("base", 11)},
		"a new element":           {"peers: [{host: six, address: 10.0.0.6}]", "peers", `[{"host":"one","address":"10.0.0.1"},{"host":"two","address":"10.0.0.2"},{"host":"six","address":"10.0.0.6"}]`, in("base", 11)},
		"an element that is gone": {"peers: [{host: one, $patch: delete}]", "peers", `[{"host":"two","address":"10.0.0.2"}]`, in("base", 11)},
		"a list that replaces":    {"peers: [{$patch: replace}, {host: six, address: 10.0.0.6}]", "peers", `[{"host":"six","address":"10.0.0.6"}]`, in("prod", 4)},
	} {
		t.Run(name, func(t *testing.T) {
			over := net("a") + "spec: {resource: {" + c.over + "}}"
			loaded, err := layered(fstest.MapFS{"base/a.yaml": {Data: []byte(base)}, "prod/a.yaml": {Data: []byte(over)}}, "base", "prod")
			if err != nil || len(loaded.Objects) != 1 {
				t.Fatal(len(loaded.Objects), err)
			}
			o := &loaded.Objects[0]
			for range 2 { // after Release, the document is parsed and merged again
				if got := fieldOf(t, o, c.field); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
				if got := o.Where("spec.resource." + c.field); got != c.at {
					t.Errorf("got %s, want %s", got, c.at)
				}
				o.Release()
			}
			if want := []manifest.Origin{in("base", 1), in("prod", 1)}; !slices.Equal(o.Origins(), want) {
				t.Errorf("got %v", o.Origins())
			}
		})
	}
}

func TestLayersThatDoNotFit(t *testing.T) {
	base := net("front") + "spec: {resource: {cidr: 10.0.0.0/24, mtu: 1500, peers: [{host: one, address: 10.0.0.1}]}}\n"
	of := func(spec string) string { return net("front") + "spec: {resource: {" + spec + "}}" }
	for name, c := range map[string]struct{ over, field, fix string }{
		"a field":                    {of("mut: null"), "spec.resource.mut", "did you mean mtu?"},
		"a field below one":          {of("options: {a: null}"), "spec.resource.options.a", ""},
		"an element":                 {of("peers: [{host: eno, $patch: delete}]"), "spec.resource.peers[0]", ""},
		"an element without a key":   {of("peers: [{address: 10.0.0.1}]"), "spec.resource.peers[0]", ""},
		"a key twice":                {of("peers: [{host: a, address: 10.0.0.1}, {host: a, address: 10.0.0.1}]"), "spec.resource.peers[1].host", ""},
		"an object":                  {net("fornt") + "$patch: delete", "", "did you mean front?"},
		"a patch of nothing":         {net("fornt") + "spec: {resource: {mtu: 80}}", "spec.resource.cidr", "did you mean front?"},
		"a directive":                {of("options: {$patch: merge}"), "spec.resource.options.$patch", ""},
		"two documents of one layer": {of("mtu: 80") + "\n---\n" + net("front"), "", "keep one of the two, or rename one"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := layered(fstest.MapFS{"base/a.yaml": {Data: []byte(base)}, "prod/a.yaml": {Data: []byte(c.over)}}, "base", "prod")
			var problems manifest.Problems
			_ = errors.As(err, &problems)
			for i := range loaded.Objects {
				problems = append(problems, loaded.Objects[i].Decode(&networkBody{})...)
			}
			if len(problems) != 1 || problems[0].Field != c.field || problems[0].Origin.File != "prod/a.yaml" || c.fix != "" && problems[0].Fix != c.fix {
				t.Errorf("got %v", problems)
			}
		})
	}
}

// An object that a layer deletes can be declared by a later one.
func TestThreeLayers(t *testing.T) {
	files := fstest.MapFS{
		"a/a.yaml": {Data: []byte(net("x") + "spec: {resource: {cidr: 10.0.0.0/24, mtu: 1500}}")},
		"b/b.yaml": {Data: []byte(net("x") + "$patch: delete")},
		"c/c.yaml": {Data: []byte(net("x") + "spec: {resource: {cidr: 10.0.3.0/24}}")},
	}
	for want, folders := range map[string][]string{"1500 10.0.3.0/24": {"a", "c"}, "0 10.0.3.0/24": {"a", "b", "c"}, "": {"a", "b"}} {
		loaded, err := layered(files, folders...)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range loaded.Objects {
			var into networkBody
			loaded.Objects[i].Decode(&into)
			got = fmt.Sprint(into.Spec.Resource.MTU, " ", into.Spec.Resource.CIDR)
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", folders, got, want)
		}
	}
}

// A later layer replaces or removes a whole object.
func TestWholeObjects(t *testing.T) {
	files := fstest.MapFS{
		"base/a.yaml": {Data: []byte(net("a") + "spec: {resource: {cidr: 10.0.0.0/24, mtu: 1400}}\n")},
		"base/b.yaml": {Data: []byte(net("b") + "spec: {resource: {cidr: 10.0.0.0/24}}\n")},
		"top/a.yaml":  {Data: []byte(net("a") + "$patch: replace\nspec: {resource: {cidr: 10.1.0.0/24}}\n---\n" + net("b") + "$patch: delete\n")},
	}
	loaded, err := layered(files, "base", "top")
	if err != nil || len(loaded.Objects) != 1 || len(loaded.Bare) > 0 {
		t.Fatalf("%v: %d objects, bare %q", err, len(loaded.Objects), loaded.Bare)
	}
	for range 2 {
		o := &loaded.Objects[0]
		if cidr, mtu := fieldOf(t, o, "cidr"), fieldOf(t, o, "mtu"); cidr != `"10.1.0.0/24"` || mtu != "" && mtu != "0" && mtu != "null" {
			t.Errorf("got cidr %s, mtu %s", cidr, mtu)
		}
		o.Release()
	}
	files["top/a.yaml"] = &fstest.MapFile{Data: []byte(net("a") + "$patch: merge\nspec: {}\n")}
	if _, err := layered(files, "base", "top"); err == nil {
		t.Error("an unknown $patch is accepted")
	}
}
