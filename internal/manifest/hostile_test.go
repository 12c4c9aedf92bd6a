package manifest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: x}\n"

func TestHostileInputIsRefused(t *testing.T) {
	laughs := head + "spec:\n  a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		laughs += fmt.Sprintf("  %c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	wide := head + "spec:\n  a: &a [" + strings.Repeat("x,", 2000) + "]\n  b: [" + strings.Repeat("*a,", 900) + "]\n"
	for _, c := range []struct{ name, text, want string }{
		{"laughs", laughs, "Network/x: more than 1000 aliases, including aliases within aliases; write the values out"},
		{"wide aliases", wide, "a.yaml:5: Network/x: more than 100000 values in one document"},
		{"deep lists", head + "spec: " + strings.Repeat("[", 100_000), "nested too deep"},
		{"deep closed lists", head + "spec: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "a.yaml:4: Network/x: nested deeper than 100 levels"},
		{"deep dashes", head + "spec:\n  " + strings.Repeat("- ", 100_000), "nested too deep"},
		{"many documents", strings.Repeat("---\n"+head, 100_000/2+1), "a.yaml: more than 50000 documents"},
		{"many list items", "apiVersion: v1\nkind: List\nitems: [" + strings.Repeat("x,", 60_000) + "]", "gave up after 1000 problems"},
		{"not UTF-8", head + "spec: \xff\xfe", "a.yaml:4: not UTF-8; save the file as UTF-8 text"},
		{"UTF-16", "\xff\xfea\x00p\x00i\x00", "a.yaml:1: a NUL byte; save the file as UTF-8 text"},
		{"NUL", head + "spec: \x00", "a.yaml:4: a NUL byte"},
		{"control character", head + "spec: \x01", "a.yaml:4: not valid YAML: an invisible control character; remove it"},
		{"long line", head + "spec: " + strings.Repeat("x", 5<<20), "a.yaml: larger than 4 MiB; split it"},
		{"long key", head + "spec: {" + strings.Repeat("k", 1000) + ": 1}", "spec." + strings.Repeat("k", 64) + "…: unknown field"},
		{"merge of a word", head + "<<: x\n", "a.yaml:4: Network/x: <<: << merges mappings only, found a string"},
		{"merge of words", head + "<<: [{}, 3]\n", "a.yaml:4: Network/x: <<: << merges mappings only, found a number"},
		{"unknown tag", head + "spec: !ruby/object:X {}\n", "a.yaml:4: Network/x: spec: a value that begins with ! is a YAML tag, and tags are not supported"},
		{"list of itself", "apiVersion: v1\nkind: List\nitems: &a [{apiVersion: v1, kind: List, items: *a}]", "a list inside a list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := report(fstest.MapFS{"a.yaml": {Data: []byte(c.text)}})
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s\nwant %s", got[:min(len(got), 2000)], c.want)
			}
		})
	}
}

func TestDeepJSONIsRefused(t *testing.T) {
	text := `{"apiVersion":"openstack.k-orc.cloud/v1alpha1","kind":"Network","metadata":{"name":"x"},"spec":` + strings.Repeat("[", 100_000)
	got := report(fstest.MapFS{"a.json": {Data: []byte(text)}})
	if !strings.Contains(got, "a.json:1: not valid JSON: nested deeper than 1000") {
		t.Errorf("got %s", got)
	}
}

func TestBudgets(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 5 {
		files[fmt.Sprintf("d/%d.yaml", i)] = &fstest.MapFile{Data: []byte(strings.Replace(head, "name: x", fmt.Sprintf("name: x%d", i), 1))}
	}
	for _, c := range []struct {
		name   string
		change func(*manifest.Options)
		want   string
	}{
		{"fits", func(*manifest.Options) {}, ""},
		{"entries", func(o *manifest.Options) { o.MaxEntries = 5 }, "d: more than 5 files and folders"},
		{"files", func(o *manifest.Options) { o.MaxFiles = 4 }, "d/4.yaml: more than 4 manifest files"},
		{"documents", func(o *manifest.Options) { o.MaxDocuments = 4 }, "d/4.yaml: more than 4 documents"},
		{"bytes", func(o *manifest.Options) { o.MaxTotalBytes = 100 }, "d/1.yaml: more than 100 bytes of manifests"},
		{"values", func(o *manifest.Options) { o.MaxNodes = 30 }, "d/3.yaml: more than 30 values in all manifests"},
		{"folders", func(o *manifest.Options) { o.MaxDepth = -1 }, ".: folders nested deeper than -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := kinds()
			c.change(&opts)
			_, err := manifest.Load(files, opts)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got %v, want no problem", err)
			case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// grown is a file that reports a small size and contains more bytes, as if somebody appended to it.
type grown struct{ fstest.MapFS }

type grownFile struct {
	fs.File
	*bytes.Reader
}

func (g grownFile) Read(p []byte) (int, error) { return g.Reader.Read(p) }

func (g grown) Open(name string) (fs.File, error) {
	f, err := g.MapFS.Open(name)
	if name != "a.yaml" || err != nil {
		return f, err
	}
	return grownFile{f, bytes.NewReader(make([]byte, 1<<20))}, nil
}

func TestReadStopsAtTheLimitWhateverStatSays(t *testing.T) {
	opts := kinds()
	opts.MaxFileBytes = 1000
	_, err := manifest.Load(grown{fstest.MapFS{"a.yaml": {Data: []byte(head)}}}, opts)
	if err == nil || !strings.HasPrefix(err.Error(), "a.yaml: ") || !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	outside := t.TempDir()
	for name, text := range map[string]string{"real.yaml": head, "LICENSE.txt": "x", "plain": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"a.yaml": "real.yaml", "b.yml": "/etc/passwd", "folder": outside, "gone": "nowhere",
		".hidden": outside, "COPYING": "plain", "NOTICE.md": "nowhere", "v1.2": outside,
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := manifest.Load(os.DirFS(dir), kinds())
	var problems manifest.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Origin.File)
		if p.What != "a symbolic link, which is not followed" {
			t.Errorf("got %s", p)
		}
	}
	if want := "a.yaml b.yml folder gone v1.2"; strings.Join(got, " ") != want {
		t.Errorf("refused %v, want %s", got, want)
	}
}

func TestSpecialFilesAreRefused(t *testing.T) {
	_, err := manifest.Load(fstest.MapFS{"pipe.yaml": {Mode: fs.ModeNamedPipe}, "pipe": {Mode: fs.ModeNamedPipe}}, kinds())
	if err == nil || !strings.HasPrefix(err.Error(), "pipe.yaml: ") {
		t.Errorf("got %v", err)
	}
}

func TestUnreadableRoot(t *testing.T) {
	_, err := manifest.Load(os.DirFS(filepath.Join(t.TempDir(), "gone")), kinds())
	if err == nil || err.Error() != ".: cannot read the folder: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

func TestOnlyTheFirstHundredProblemsArePrinted(t *testing.T) {
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "---\nkind: Network\nmetadata: {name: n%d}\n", i)
	}
	_, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: []byte(text.String())}}, kinds())
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 101 || lines[100] != "and 50 more" {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestByteOrderMarkAndLineEnds(t *testing.T) {
	second := strings.Replace(head, "name: x", "name: second", 1) + "sepc: {}\n"
	crlf := "\ufeff" + strings.ReplaceAll(head+"spec: {resource: {cidr: 10.0.0.0/24}}\n---\n# end\n---\n"+second, "\n", "\r\n")
	got := report(fstest.MapFS{"a.yaml": {Data: []byte(crlf)}})
	want := "ok a.yaml:1: Network/x\n" +
		"a.yaml:11: Network/second: sepc: unknown field; did you mean spec?\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
