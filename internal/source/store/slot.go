package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// The cache folder may be shared, and may be wiped at any time:
//
//	<key>.0/         the slot of one process, which locks it while it runs; the next process uses <key>.1
//	    lock
//	    current      "store-123 <commit>": the current store, and a commit that is complete in it
//	    store-123/   the current store, with its packs in objects/pack
//	    store-122/   an old store, which is removed when nothing reads from it, or at the next start
const (
	currentFile = "current"
	storePrefix = "store-"
)

// MaxSlots is the number of processes that can use one cache folder for one repository at a time.
// Further processes keep their copies in memory.
const MaxSlots = 8

var fullHash = pattern.Of(`^[0-9a-f]{40}$`)

// slot is a folder that only one Cache uses.
type slot struct {
	dir  string
	lock io.Closer
}

func (s *slot) close() error { return s.lock.Close() }

var errLocked = errors.New("another process is using it")

// takeSlot finds a slot that no other process uses.
func takeSlot(dir, key string) (*slot, error) {
	for n := range MaxSlots {
		folder := filepath.Join(dir, fmt.Sprintf("%s.%d", key, n))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		lock, err := lockFile(filepath.Join(folder, "lock"))
		if errors.Is(err, errLocked) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &slot{dir: folder, lock: lock}, nil
	}
	return nil, fmt.Errorf("%d other processes use it already", MaxSlots)
}

// current returns the name of the current store, and the commit that is complete in it.
func (s *slot) current() (name string, commit plumbing.Hash, err error) {
	content, err := os.ReadFile(filepath.Join(s.dir, currentFile))
	if err != nil {
		return "", commit, err
	}
	name, hash, ok := strings.Cut(strings.TrimSpace(string(content)), " ")
	if !ok || !strings.HasPrefix(name, storePrefix) || filepath.Base(name) != name || !fullHash.MatchString(hash) {
		return "", commit, fmt.Errorf("the file %s is damaged", currentFile)
	}
	return name, plumbing.NewHash(hash), nil
}

// setCurrent writes the file that the method current reads.
func (s *slot) setCurrent(name string, commit plumbing.Hash) error {
	return localfile.Replace(filepath.Join(s.dir, currentFile), []byte(name+" "+commit.String()+"\n"))
}

// sweep removes everything from the slot except its lock and, if keep is true, the named store and
// the file that names it.
func (s *slot) sweep(name string, keep bool) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		switch {
		case e.Name() == "lock":
		case keep && (e.Name() == name || e.Name() == currentFile):
		default:
			os.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, name, "incoming-*")); err == nil && keep {
		for _, file := range left {
			os.Remove(file)
		}
	}
}
