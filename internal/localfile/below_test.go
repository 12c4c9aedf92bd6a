package localfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// TestReadBelow: only regular files in the folder that nobody else can write are read, and links only within the folder.
func TestReadBelow(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "store")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.MkdirAll(filepath.Join(folder, "db"), 0o700))
	write("outside", "outside")
	write("store/db/password", "value")
	write("store/large", "1234567")
	write("store/open", "open")
	check(os.Chmod(filepath.Join(folder, "open"), 0o602))
	check(os.Symlink("db/password", filepath.Join(folder, "inside")))
	check(os.Symlink("../outside", filepath.Join(folder, "out")))
	check(os.Symlink(filepath.Join(base, "outside"), filepath.Join(folder, "absolute")))
	check(os.Symlink("..", filepath.Join(folder, "up")))
	check(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	for name, want := range map[string]string{
		"db/password": "value", "inside": "value",
		"large": "", "open": "", "out": "", "absolute": "", "up/outside": "", "pipe": "", "db": "", "../outside": "", "missing": "",
	} {
		text, err := localfile.ReadBelow(folder, name, 6)
		if string(text) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := localfile.ReadBelow(filepath.Join(base, "none"), "a", 6); !errors.Is(err, localfile.ErrNoFolder) {
		t.Errorf("a missing folder: %v", err)
	}
	if os.Geteuid() == 0 {
		check(os.Chown(filepath.Join(folder, "db/password"), 12345, 0))
		if _, err := localfile.ReadBelow(folder, "db/password", 6); err == nil {
			t.Error("a file of another user is read")
		}
	}
}
