package format

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

const (
	untidy = "kind: Network\napiVersion:  openstack.k-orc.cloud/v1alpha1\n"
	tidy   = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\n"
)

// TestEach checks which files of a folder are written, and that no link leads a write elsewhere.
func TestEach(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	files := map[string]string{
		"a.yaml": untidy, "deep/b.yml": untidy, "tidy.yaml": tidy, "c.txt": untidy, ".hidden.yaml": untidy, ".git/d.yaml": untidy,
		"kustomization.yaml": untidy, "values.yaml": "a:    b\n", "sealed.yaml": untidy + "sops: {mac: x}\n",
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	put(t, filepath.Join(outside, "e.yaml"), untidy)
	for link, to := range map[string]string{"link.yaml": filepath.Join(outside, "e.yaml"), "folder": outside, "near.yaml": "c.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{"a.yaml": true, "deep/b.yml": true}
	for _, write := range []bool{false, true} {
		if got := changed(t, dir, write); !maps.Equal(got, want) {
			t.Errorf("write %t: %v", write, got)
		}
	}
	if got := changed(t, dir, true); len(got) != 0 {
		t.Errorf("again: %v", got)
	}
	for name, text := range files {
		if want[name] {
			text = tidy
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "e.yaml")); string(got) != untidy {
		t.Error("a link was followed")
	}
	if info, _ := os.Stat(filepath.Join(dir, "a.yaml")); info.Mode().Perm() != 0o664 {
		t.Error(info.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.new-*")); len(left) > 0 {
		t.Error(left)
	}
	for _, name := range []string{"link.yaml", "folder", "c.txt", "missing.yaml"} {
		if err := Each(filepath.Join(dir, name), true, func(string, error) {}); err == nil {
			t.Errorf("%s is laid out", name)
		}
	}
}

// TestChangedMeanwhile checks that a file is not replaced if somebody wrote it after it was read.
func TestChangedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.yaml"), untidy)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, info, err := read(root, "a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "a.yaml"), untidy+"spec: {}\n")
	if err := replace(root, "a.yaml", info, []byte(tidy)); err == nil {
		t.Error("the newer text is lost")
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Error(list)
	}
}

// TestBroken checks that a file that cannot be read as YAML is an error, and that the others are laid out.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.yaml"), "kind: [\n")
	put(t, filepath.Join(dir, "b.yaml"), untidy)
	got := map[string]bool{}
	err := Each(dir, true, func(file string, err error) { got[filepath.Base(file)] = err == nil })
	if err != nil || !maps.Equal(got, map[string]bool{"a.yaml": false, "b.yaml": true}) {
		t.Error(got, err)
	}
	if _, err := Text(make([]byte, MaxBytes+1)); err == nil {
		t.Error("no limit")
	}
	if err := Each(filepath.Join(dir, "c.yaml"), true, func(string, error) {}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600), os.Chmod(name, 0o664)); err != nil {
		t.Fatal(err)
	}
}

func changed(t *testing.T, dir string, write bool) map[string]bool {
	t.Helper()
	got := map[string]bool{}
	err := Each(dir, write, func(file string, err error) {
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		name, _ := filepath.Rel(dir, file)
		got[name] = true
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
