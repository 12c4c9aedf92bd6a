package localfile

import (
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

// A pipe that nobody writes to, a device without an end and a file that is too
// large take neither time nor memory.
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
