package source

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// The cache folder, which may be shared and may be wiped at any time:
//
//	<key>.0/         one process's slot: locked while it runs; the next one takes .1
//	    lock
//	    current      "store-123 <commit>": which store counts, and a commit complete in it
//	    store-123/   objects/pack/…
//	    store-122/   one that is not current: removed when nobody reads from it, or at the next start
const (
	maxSlots    = 8
	currentFile = "current"
	storePrefix = "store-"
)

// cacheSlot is a folder that this Repo has for itself.
type cacheSlot struct {
	dir  string
	lock io.Closer
}

func (c *cacheSlot) close() error { return c.lock.Close() }

var errLocked = errors.New("another process has it")

// takeSlot finds a slot that nobody else uses.
func takeSlot(dir, key string) (*cacheSlot, error) {
	for n := range maxSlots {
		slot := filepath.Join(dir, fmt.Sprintf("%s.%d", key, n))
		if err := os.MkdirAll(slot, 0o700); err != nil {
			return nil, err
		}
		lock, err := lockFile(filepath.Join(slot, "lock"))
		if errors.Is(err, errLocked) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &cacheSlot{dir: slot, lock: lock}, nil
	}
	return nil, fmt.Errorf("%d other processes use it already", maxSlots)
}

// openCache finds or makes the store, once. Nothing that goes wrong here
// matters more than another download.
func (r *Repo) openCache(ctx context.Context) {
	if r.store != nil {
		return
	}
	if r.cfg.Dir != "" {
		key := sha256.Sum256([]byte(r.addr.String()))
		slot, err := takeSlot(r.cfg.Dir, hex.EncodeToString(key[:8]))
		if err != nil {
			r.log.Warn("cannot use the cache folder; going on in memory", "dir", r.cfg.Dir, "error", err)
			r.cfg.Dir = ""
		} else {
			r.cache = slot
			if r.reuse(ctx) {
				return
			}
		}
	}
	r.renew()
}

// reuse opens the store that an earlier process left, if it is sound, and
// removes everything else from the slot.
func (r *Repo) reuse(ctx context.Context) bool {
	name, commit, err := r.cache.current()
	if err == nil {
		s := newStore(filepath.Join(r.cache.dir, name))
		if err = s.load(ctx, commit); err == nil {
			r.store, r.tip = s, commit
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.log.Warn("the local copy of the repository is damaged; fetching it anew", "dir", r.cache.dir, "error", err)
	}
	r.cache.sweep(name, r.store != nil)
	return r.store != nil
}

func (c *cacheSlot) current() (name string, commit plumbing.Hash, err error) {
	content, err := os.ReadFile(filepath.Join(c.dir, currentFile))
	if err != nil {
		return "", commit, err
	}
	name, hash, ok := strings.Cut(strings.TrimSpace(string(content)), " ")
	if !ok || !strings.HasPrefix(name, storePrefix) || filepath.Base(name) != name || !fullHash.MatchString(hash) {
		return "", commit, fmt.Errorf("the file %s is damaged", currentFile)
	}
	return name, plumbing.NewHash(hash), nil
}

func (c *cacheSlot) sweep(name string, keep bool) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		switch {
		case e.Name() == "lock":
		case keep && (e.Name() == name || e.Name() == currentFile):
		default:
			os.RemoveAll(filepath.Join(c.dir, e.Name()))
		}
	}
	if left, err := filepath.Glob(filepath.Join(c.dir, name, "incoming-*")); err == nil && keep {
		for _, file := range left {
			os.Remove(file)
		}
	}
}

// renew starts an empty store. The one before goes when its last reader does.
func (r *Repo) renew() {
	if old := r.store; old != nil && old.dir != "" {
		runtime.AddCleanup(old, func(dir string) { os.RemoveAll(dir) }, old.dir)
	}
	r.tip, r.known = plumbing.ZeroHash, known{}
	if r.cfg.Dir != "" && r.cache != nil {
		dir, err := os.MkdirTemp(r.cache.dir, storePrefix)
		if err == nil {
			r.store = newStore(dir)
			return
		}
		r.log.Warn("cannot use the cache folder; going on in memory", "dir", r.cfg.Dir, "error", err)
		r.cfg.Dir = ""
	}
	r.store = newStore("")
}

// keep remembers a complete commit, for this process and for the next.
func (r *Repo) keep(commit plumbing.Hash) {
	if r.tip == commit {
		return
	}
	r.tip = commit
	if r.store.dir == "" {
		return
	}
	line := filepath.Base(r.store.dir) + " " + commit.String() + "\n"
	file := filepath.Join(r.cache.dir, currentFile)
	err := os.WriteFile(file+".new", []byte(line), 0o600)
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		r.log.Warn("cannot write to the cache folder; the next start fetches anew", "dir", r.cache.dir, "error", err)
	}
}

// load takes over the packs of a store on disk after checking every byte of
// them, and that commit is all there.
func (s *store) load(ctx context.Context, commit plumbing.Hash) error {
	packs, err := filepath.Glob(filepath.Join(s.dir, filepath.FromSlash(packFolder), "pack-*.pack"))
	if err != nil || len(packs) == 0 {
		return fmt.Errorf("%w: no packs", errIncomplete)
	}
	for _, file := range packs {
		if err := ctx.Err(); err != nil {
			return err
		}
		size, err := verifyPack(ctx, file)
		if err != nil {
			return err
		}
		s.packs = append(s.packs, packFile{packFolder + "/" + filepath.Base(file), size})
	}
	c, err := s.commit(commit)
	if err != nil {
		return err
	}
	return s.checkComplete(ctx, c)
}

// verifyPack compares a pack with the checksum at its end.
func verifyPack(ctx context.Context, file string) (int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	end, err := checkSum(watched{ctx, f})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return end + sha1.Size, nil
}
