package store

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const someCommit = "1212121212121212121212121212121212121212"

// TestAttackHugeObjects has a commit, a tag and a folder that are small when they are sent, and
// large when they are read. It also has tags of tags.
func TestAttackHugeObjects(t *testing.T) {
	testcost.Long(t) // The test makes and reads large packs.
	parents := []byte("tree " + someCommit + "\n" + strings.Repeat("parent "+someCommit+"\n", maxTextBytes/48+1))
	message := append([]byte("tree "+someCommit+"\n\n"), make([]byte, maxTextBytes)...)
	folder := bytes.Repeat([]byte("100644 a\x00"+strings.Repeat("1", 20)), maxTreeBytes/29+1)
	tag := func(of plumbing.Hash, kind string) []byte {
		return fmt.Appendf(nil, "object %s\ntype %s\ntag v\ntagger a <a@b> 1 +0000\n\n", of, kind)
	}
	objects := []rawObject{}
	put := func(kind plumbing.ObjectType, data []byte) plumbing.Hash {
		objects = append(objects, rawObject{kind: kind, size: uint64(len(data)), data: data})
		return plumbing.ComputeHash(kind, data)
	}
	last := put(plumbing.CommitObject, []byte("tree "+someCommit+"\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\n"))
	kind := "commit"
	for range 1000 {
		last, kind = put(plumbing.TagObject, tag(last, kind)), "tag"
	}
	list := map[string]plumbing.Hash{
		"parents": put(plumbing.CommitObject, parents), "message": put(plumbing.CommitObject, message),
		"tag":                 put(plumbing.TagObject, append(tag(last, "tag"), make([]byte, maxTextBytes)...)),
		"a tag of 1,000 tags": last,
	}
	tree := put(plumbing.TreeObject, folder)
	s := New("")
	if err := s.Receive(t.Context(), bytes.NewReader(rawPack(t, objects...))); err != nil {
		t.Fatal(err)
	}
	for name, h := range list {
		took := testcost.AllocatedWithoutRace(func() {
			if _, err := s.Commit(h); !errors.Is(err, failure.ErrContent) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if took > 4<<20 {
			t.Errorf("%s: it asked for %d bytes", name, took)
		}
	}
	took := testcost.AllocatedWithoutRace(func() {
		if _, err := s.Tree(tree); !errors.Is(err, failure.ErrContent) {
			t.Errorf("folder: %v", err)
		}
	})
	if took > 4<<20 {
		t.Errorf("folder: it asked for %d bytes", took)
	}
}
