package child

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/kustomize"
)

var keep = flag.Bool("keep", false, "write what the real kustomize makes to testdata/real")

// sample is a repository, and what the real kustomize makes of its root.
type sample struct {
	file       string
	archive    *txtar.Archive
	root       string
	flags      []string // of the real kustomize
	files      map[string]string
	references []kustomize.Reference
	want       string
}

// wantSection has the documents of the real kustomize, and referencesSection has the fields that contain names.
const (
	wantSection       = "want"
	referencesSection = "references"
)

func samples(t *testing.T) []sample {
	t.Helper()
	paths, err := filepath.Glob("testdata/real/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	list := make([]sample, 0, len(paths))
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, newSample(t, path, archive))
	}
	return list
}

func newSample(t *testing.T, path string, archive *txtar.Archive) sample {
	t.Helper()
	s := sample{file: path, archive: archive, files: map[string]string{}}
	for line := range strings.Lines(string(archive.Comment)) {
		if root, ok := strings.CutPrefix(line, "root: "); ok {
			s.root = strings.TrimSpace(root)
		}
		if flags, ok := strings.CutPrefix(line, "flags: "); ok {
			s.flags = strings.Fields(flags)
		}
	}
	for _, f := range archive.Files {
		switch f.Name {
		case wantSection:
			s.want = string(f.Data)
		case referencesSection:
			for line := range strings.Lines(string(f.Data)) {
				const korc = "openstack.k-orc.cloud"
				parts := strings.Fields(line)
				s.references = append(s.references, kustomize.Reference{Group: korc, Kind: parts[0], Path: parts[1], TargetGroup: korc, TargetKind: parts[2]})
			}
		default:
			s.files[f.Name] = string(f.Data)
			if strings.HasSuffix(f.Name, ".bin") { // an archive holds only text
				s.files[f.Name] = "\x00\xff\xfe" + string(f.Data)
			}
		}
	}
	return s
}

// ours builds the root as a stack would.
func (s sample) ours(t *testing.T) (string, error) {
	t.Helper()
	tree := kustomize.Tree{Files: fstest.MapFS{}, Root: s.root, References: s.references}
	for name, text := range s.files {
		tree.Files.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(text)}
	}
	made, err := kustomize.Load(t.Context(), tree, new(Runner).Build)
	texts := make([]string, 0, len(made.Built))
	for _, b := range made.Built {
		texts = append(texts, string(b.Text))
	}
	return strings.Join(texts, "---\n"), err
}

// real builds the root with the real kustomize. It learns the fields with names from a configuration, which its users have to write.
func (s sample) real(t *testing.T) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range s.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		if strings.EqualFold(base, "kustomization") && len(s.references) > 0 {
			text += "\nconfigurations: [names-of-objects.yaml]\n"
			write(t, filepath.Join(filepath.Dir(path), "names-of-objects.yaml"), configuration(s.references))
		}
		write(t, path, text)
	}
	cmd := exec.Command(filepath.Join(os.Getenv("STACKREEVE_TEST_KUSTOMIZE"), "kustomize"), append([]string{"build", s.root, "--reorder", "none"}, s.flags...)...)
	cmd.Dir = dir
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, wrong.String())
	}
	return out.String(), nil
}

func configuration(list []kustomize.Reference) string {
	var out strings.Builder
	out.WriteString("nameReference:\n")
	for _, r := range list {
		fmt.Fprintf(&out, "- {group: %s, kind: %s, fieldSpecs: [{group: %s, kind: %s, path: %s}]}\n", r.TargetGroup, r.TargetKind, r.Group, r.Kind, r.Path)
	}
	return out.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func needsKustomize(t *testing.T) {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_KUSTOMIZE") == "" {
		t.Skip("STACKREEVE_TEST_KUSTOMIZE names no folder with kustomize")
	}
}

// TestRealKustomizeAgrees builds each sample with the real kustomize, and compares the documents.
func TestRealKustomizeAgrees(t *testing.T) {
	needsKustomize(t)
	for _, s := range samples(t) {
		t.Run(filepath.Base(s.file), func(t *testing.T) {
			want, err := s.real(t)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.ours(t)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, want)
			if *keep {
				s.archive.Files = slices.DeleteFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == wantSection })
				s.archive.Files = append(s.archive.Files, txtar.File{Name: wantSection, Data: []byte(want)})
				write(t, s.file, string(txtar.Format(s.archive)))
			}
		})
	}
}

// TestKeptDocuments compares with the documents in testdata, which the real kustomize made.
func TestKeptDocuments(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(filepath.Base(s.file), func(t *testing.T) {
			got, err := s.ours(t)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, s.want)
		})
	}
}
