package store

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// TestSizeWithoutContent reads the size of a file whose content is damaged.
func TestSizeWithoutContent(t *testing.T) {
	text := []byte(strings.Repeat("content ", 1000))
	blob := plumbing.ComputeHash(plumbing.BlobObject, text)
	tree := []byte("100644 a.yaml\x00" + string(blob[:]))
	s := New("")
	err := s.Receive(t.Context(), bytes.NewReader(rawPack(t,
		rawObject{kind: plumbing.TreeObject, size: uint64(len(tree)), data: tree},
		rawObject{kind: plumbing.BlobObject, size: uint64(len(text)), data: text})))
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.Files(t.Context(), plumbing.ComputeHash(plumbing.TreeObject, tree), Made{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := files.Open("a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pack, err := s.fs.OpenFile(s.packs[0].name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pack.Seek(s.packs[0].size-60, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := pack.Write(make([]byte, 40)); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 8000 {
		t.Errorf("Stat = %v, %v", info, err)
	}
	if _, err := io.ReadAll(f); err == nil {
		t.Error("the damage was not there: the test proves nothing")
	}
}
