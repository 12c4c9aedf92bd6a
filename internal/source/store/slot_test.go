package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// TestASlotIsWrittenBesideWhatWasLeft checks that files left by an ended process do not prevent writing
// the file current.
func TestASlotIsWrittenBesideWhatWasLeft(t *testing.T) {
	s := &slot{dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(s.dir, currentFile+".new"), 0o700); err != nil {
		t.Fatal(err)
	}
	commit := plumbing.NewHash("0123456789012345678901234567890123456789")
	if err := s.setCurrent(storePrefix+"1", commit); err != nil {
		t.Fatal(err)
	}
	if name, found, err := s.current(); name != storePrefix+"1" || found != commit || err != nil {
		t.Errorf("%s, %s, %v", name, found, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, currentFile+".new-*")); len(left) > 0 || err != nil {
		t.Errorf("%v, %v are left", left, err)
	}
}
