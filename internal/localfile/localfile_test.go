package localfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAttackFileThatNeverEnds uses a pipe without a writer, a device without an end, and a file that is too
// large. They need neither time nor memory.
func TestAttackFileThatNeverEnds(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	took := testcost.Allocated(func() {
		for path, want := range map[string]string{pipe: "not a regular file", "/dev/zero": "not a regular file", link: "not a regular file", dir: "not a regular file", large: "larger than 65536 bytes"} {
			if text, err := Read(path, Secret); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %d bytes, %v; want an error with %q", path, len(text), err, want)
			}
		}
		for _, path := range []string{"/dev/zero", large} {
			if _, err := ReadNamed(path, Secret); err == nil {
				t.Errorf("%s is read", path)
			}
		}
	})
	if took > 2*Secret {
		t.Errorf("%d bytes were taken", took)
	}
}

func TestWorkTreesAreFound(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "repo/.git/HEAD"), "x")
	write(t, filepath.Join(dir, "linked/.git"), "gitdir: ../repo/.git")
	write(t, filepath.Join(dir, "hg/.hg/x"), "")
	inside := write(t, filepath.Join(dir, "repo/a/b/c.yaml"), "x")
	outside := write(t, filepath.Join(dir, "outside/c.yaml"), "x")
	link := filepath.Join(dir, "outside/link.yaml")
	if err := os.Symlink(inside, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		inside: "repo", link: "repo", filepath.Join(dir, "repo/a/missing"): "repo", filepath.Join(dir, "linked/x"): "linked", filepath.Join(dir, "hg"): "hg", outside: "",
	} {
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got := WorkTree(path); got != want {
			t.Errorf("%s lies in %q, want %q", path, got, want)
		}
	}
	t.Chdir(filepath.Join(dir, "repo/a"))
	if got := WorkTree("."); got != filepath.Join(dir, "repo") {
		t.Errorf("the working directory lies in %q", got)
	}
}

func TestAttackFileInAFolderOfEverybody(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "tmp/stackreeve.yaml"), "x")
	if why := Foreign(file); why != "" {
		t.Error(why)
	}
	if err := os.Chmod(filepath.Dir(file), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if why := Foreign(file); !strings.Contains(why, "everybody") {
		t.Errorf("why: %q", why)
	}
}

// TestAttackFileOfAnotherUser uses files that belong to another user, or that are below such a user's folder.
// They are read only if somebody has named them.
func TestAttackFileOfAnotherUser(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(folder, "home/work/stackreeve.yaml"), "x")
	link := filepath.Join(folder, "link.yaml")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	const me, other = 1000, 1001
	for at, whose := range map[string]int{
		"": me, "home/work/stackreeve.yaml": other, "home/work": other, "home": other,
	} {
		owner := func(path string) (int, fs.FileMode, error) {
			if path == filepath.Join(folder, at) {
				return whose, fs.ModeDir | 0o755, nil
			}
			return 0, fs.ModeDir | 0o755, nil
		}
		for _, path := range []string{file, link} {
			if why := ofOthers(path, owner, []int{0, me}); (why != "") != (whose == other) {
				t.Errorf("%s of %d: %q", at, whose, why)
			}
		}
	}
	for mode, want := range map[fs.FileMode]bool{fs.ModeDir | 0o777: true, fs.ModeDir | fs.ModeSticky | 0o777: false, fs.ModeDir | 0o775: false} {
		owner := func(path string) (int, fs.FileMode, error) {
			if path == filepath.Join(folder, "home") {
				return 0, mode, nil
			}
			return 0, fs.ModeDir | 0o755, nil
		}
		if why := ofOthers(file, owner, []int{0, me}); (why != "") != want {
			t.Errorf("%s: %q", mode, why)
		}
	}
	if why := ofOthers(filepath.Join(folder, "missing/x"), ownerOf, []int{0, os.Geteuid()}); why == "" {
		t.Error("what is not known is trusted")
	}
	if why := Foreign(file); why != "" {
		t.Errorf("our own: %s", why)
	}
}

func TestAttackFileOfEverybody(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "home/stackreeve.yaml"), "x")
	link := filepath.Join(filepath.Dir(file), "link.yaml")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o664: false, 0o666: true, 0o602: true} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, link} {
			if why := Foreign(path); (why != "") != want {
				t.Errorf("%s with %o: %q", filepath.Base(path), mode, why)
			}
		}
	}
}

func TestExposedFiles(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "token"), "x")
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true, 0o602: true} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if got := Exposed(file); got != want {
			t.Errorf("%o: %t", mode, got)
		}
	}
}

// TestReplace checks that a file is replaced as a whole, and that other users cannot read it. If Replace fails, the
// old file is unchanged, and no other file is left.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "kept.json")
	for _, text := range []string{"longer", "new"} {
		if err := Replace(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if got, _ := os.ReadFile(file); err != nil || string(got) != text || info.Mode().Perm() != 0o600 {
			t.Errorf("%q, %v, %v", got, info.Mode(), err)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(folder, nil); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}
