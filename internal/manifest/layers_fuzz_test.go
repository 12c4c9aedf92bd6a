package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// texts returns the objects as texts, for comparisons.
func texts(loaded manifest.Loaded) string {
	var b strings.Builder
	for i := range loaded.Objects {
		o := &loaded.Objects[i]
		var spec struct {
			Spec any `json:"spec"`
		}
		problems := o.Decode(&spec)
		fmt.Fprintf(&b, "%s %v %v\n", o.Key, spec.Spec, len(problems))
	}
	return b.String()
}

// FuzzLayers merges arbitrary documents. Problems are printable and in one of the files. An empty layer changes nothing, and
// a document without directives and nulls that is merged into itself is the same.
func FuzzLayers(f *testing.F) {
	for _, over := range []string{"mtu: 9000", "mtu: null", "options: {$patch: replace}", "peers: [{host: a}, {$patch: delete, host: b}]", "extra: &a [*a]", "extra: {<<: {a: b}}"} {
		f.Add([]byte(net("a")+"spec: {resource: {mtu: 1, options: {a: b}, peers: [{host: a}, {host: b}]}}"), []byte(net("a")+"spec: {resource: {"+over+"}}"))
	}
	f.Add([]byte(net("a")), []byte(net("a")+"$patch: delete"))
	f.Fuzz(func(t *testing.T, base, over []byte) {
		files := fstest.MapFS{"base/a.yaml": {Data: base}, "over/b.yaml": {Data: over}, "same/a.yaml": {Data: base}, "none/README.md": {}}
		loaded, err := layered(files, "base", "over")
		var problems manifest.Problems
		_ = errors.As(err, &problems)
		for i := range loaded.Objects {
			o := &loaded.Objects[i]
			problems = append(problems, o.Decode(&networkBody{})...)
			before := texts(manifest.Loaded{Objects: loaded.Objects[i : i+1]})
			o.Release()
			if after := texts(manifest.Loaded{Objects: loaded.Objects[i : i+1]}); len(o.Origins()) > 1 && after != before {
				t.Errorf("after Release, the object is\n%s\nin place of\n%s", after, before)
			}
		}
		for _, p := range problems {
			if p.Origin.File != "base/a.yaml" && p.Origin.File != "over/b.yaml" {
				t.Errorf("a problem in %s", p.Origin)
			}
		}
		alone, err := layered(files, "base")
		if empty, err2 := layered(files, "base", "none"); fmt.Sprint(err) != fmt.Sprint(err2) || texts(empty) != texts(alone) {
			t.Errorf("an empty layer changes\n%s\nto\n%s", texts(alone), texts(empty))
		}
		if strings.Contains(string(base), "$patch") || strings.Contains(texts(alone), "<nil>") {
			return // a null in the second document removes the field
		}
		if twice, err2 := layered(files, "base", "same"); err == nil && err2 == nil && texts(twice) != texts(alone) {
			t.Errorf("the document merged into itself is\n%s\nin place of\n%s", texts(twice), texts(alone))
		}
	})
}

// FuzzValues puts values into an arbitrary text. Nothing is substituted twice, and without problems no name of a value stays.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"${env}", "$${env}", "a${x:-b}c", "${", "${env", "$$${env}", "${nested}", "${pass}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\x00\r\u0085\u2028\u2029") {
			return
		}
		loaded, err := withValues(net("a")+"spec:\n  resource:\n    cidr: 10.0.0.0/24\n    description: "+fmt.Sprintf("%q", text), nil)
		if problems := (manifest.Problems)(nil); errors.As(err, &problems) {
			for _, p := range problems {
				if p.Origin.File != "a.yaml" {
					t.Errorf("a problem in %s", p.Origin)
				}
			}
			return
		}
		before := texts(loaded)
		loaded.Objects[0].Release()
		if after := texts(loaded); after != before {
			t.Errorf("after Release, the object is\n%s\nin place of\n%s", after, before)
		}
		if !strings.Contains(text, "${") && len(loaded.Objects[0].Secrets()) > 0 {
			t.Error("a text without a name has a secret value")
		}
	})
}

// The order of the files of a layer does not matter.
func TestOrderInLayers(t *testing.T) {
	one, two := []byte(net("a")+"spec: {resource: {mtu: 9000}}"), []byte(net("b")+"spec: {resource: {mtu: 8000}}")
	base := []byte(net("a") + "spec: {resource: {cidr: 10.0.0.0/24}}\n---\n" + net("b") + "spec: {resource: {cidr: 10.0.1.0/24}}")
	first, err1 := layered(fstest.MapFS{"base/a.yaml": {Data: base}, "over/a.yaml": {Data: one}, "over/b.yaml": {Data: two}}, "base", "over")
	second, err2 := layered(fstest.MapFS{"base/a.yaml": {Data: base}, "over/a.yaml": {Data: two}, "over/b.yaml": {Data: one}}, "base", "over")
	if err1 != nil || err2 != nil || texts(first) != texts(second) {
		t.Errorf("got\n%s\nand\n%s", texts(first), texts(second))
	}
}

func BenchmarkLayers(b *testing.B) {
	base, over := fstest.MapFS{}, fstest.MapFS{}
	for name, file := range many(200) {
		base["base/"+name], over["base/"+name] = file, file
		text := strings.ReplaceAll(string(file.Data), "    cidr: 10.0.0.0/24\n    mtu: 1500\n    tags: [a, b]\n", "    mtu: 9000\n")
		over["over/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, c := range map[string]struct {
		files   fstest.MapFS
		folders []string
	}{"without": {base, []string{"base"}}, "with": {over, []string{"base", "over"}}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if loaded, err := layered(c.files, c.folders...); err != nil || len(loaded.Objects) != 2000 {
					b.Fatal(len(loaded.Objects), err)
				}
			}
		})
	}
}
