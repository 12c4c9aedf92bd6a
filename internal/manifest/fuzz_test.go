package manifest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// seeds adds every file of the stories and samples to the corpus.
func seeds(f *testing.F) {
	stories, _ := filepath.Glob("testdata/stories/*.txtar")
	for _, name := range stories {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	samples, _ := filepath.Glob("testdata/verda/*.yaml")
	for _, name := range samples {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("a: &a [*a]\n<<: *a\n--- !!map\n? [x]\n: {<<: [*a]}\n"))
}

// FuzzLoad loads arbitrary bytes. Every problem is at a line of its file and is printable.
func FuzzLoad(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"a.yaml", "a.json"} {
			loaded, err := manifest.Load(fstest.MapFS{name: {Data: text}}, kinds())
			lines := 1 + strings.Count(string(text), "\n") + strings.Count(string(text), "\r") +
				strings.Count(string(text), "\u0085") + strings.Count(string(text), "\u2028") + strings.Count(string(text), "\u2029")
			if problems := (manifest.Problems)(nil); errors.As(err, &problems) {
				checkProblems(t, problems, name, lines)
			}
			for _, o := range loaded.Objects {
				if o.Origin.Line < 1 || o.Origin.Line > lines {
					t.Errorf("object %s at %s of %d lines", o.Key, o.Origin, lines)
				}
			}
		}
	})
}

// FuzzDecode decodes arbitrary objects. Decoding ends, and an object without a problem conforms to the rules.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		loaded, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: text}}, kinds())
		for _, o := range loaded.Objects {
			var net struct {
				Spec network `json:"spec"`
				Free any     `json:"free"`
			}
			problems := o.Decode(&net)
			checkProblems(t, problems, "a.yaml", 1<<30)
			if len(problems) > 0 || err != nil {
				continue
			}
			if v := net.Spec.Resource.VLAN; v != nil && (*v < 1 || *v > 4094) {
				t.Errorf("vlan %d was let through", *v)
			}
			if _, err := manifest.NewObject(o.Key, o.APIVersion, o.Origin, nil, net); err != nil {
				t.Errorf("what was decoded cannot be written again: %v", err)
			}
		}
	})
}

func checkProblems(t *testing.T, problems manifest.Problems, file string, lines int) {
	t.Helper()
	for _, p := range problems {
		if p.Origin.File != file || p.Origin.Line < 0 || p.Origin.Line > lines || p.What == "" {
			t.Errorf("%#v of %d lines", p, lines)
		}
		if s := p.String(); !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x1b\x00") {
			t.Errorf("not fit for a terminal: %q", s)
		}
	}
}
