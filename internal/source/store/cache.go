package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/go-git/go-git/v5/plumbing"
)

// Cache has the current store, in a slot of a folder or in memory, and a commit that is complete in
// the store. If the folder fails, the only effect is another download. A Cache is not safe for
// concurrent use.
type Cache struct {
	dir   string // empty for a store in memory
	key   string // the first part of the names of its slots
	log   *slog.Logger
	slot  *slot
	store *Store        // nil until Open is called
	tip   plumbing.Hash // zero if no commit is complete
}

// NewCache returns the cache for a name, such as the address of a repository. The cache is in the
// folder dir, which several processes may share, or in memory if dir is empty.
func NewCache(dir, name string, log *slog.Logger) *Cache {
	key := sha256.Sum256([]byte(name))
	return &Cache{dir: dir, key: hex.EncodeToString(key[:8]), log: log}
}

// Open finds or makes the store. A second call does nothing.
func (c *Cache) Open(ctx context.Context) {
	if c.store != nil {
		return
	}
	if c.dir != "" {
		taken, err := takeSlot(c.dir, c.key)
		if err != nil {
			c.UseMemory(err)
		} else if c.slot = taken; c.reuse(ctx) {
			return
		}
	}
	c.Renew()
}

// Store returns the current store. The next call of Renew replaces it.
func (c *Cache) Store() *Store { return c.store }

// Tip returns a commit that is complete in the store; zero if there is none.
func (c *Cache) Tip() plumbing.Hash { return c.tip }

// Dir returns the folder in use; empty for memory.
func (c *Cache) Dir() string { return c.dir }

// UseMemory stops the use of the folder because of an error. The next store is in memory.
func (c *Cache) UseMemory(because error) {
	c.log.Warn("cannot use the cache folder; the agent continues without it", "dir", c.dir, "error", because)
	c.dir = ""
}

// Close releases the slot for other processes.
func (c *Cache) Close() error {
	c.store, c.tip = nil, plumbing.ZeroHash
	if c.slot == nil {
		return nil
	}
	taken := c.slot
	c.slot = nil
	return taken.close()
}

// reuse opens the store of an earlier process, if that store is not damaged, and removes everything
// else from the slot.
func (c *Cache) reuse(ctx context.Context) bool {
	name, commit, err := c.slot.current()
	if err == nil {
		s := New(filepath.Join(c.slot.dir, name))
		if err = s.load(ctx, commit); err == nil {
			c.store, c.tip = s, commit
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("the local copy of the repository is damaged; fetching it again", "dir", c.slot.dir, "error", err)
	}
	c.slot.sweep(name, c.store != nil)
	return c.store != nil
}

// Renew starts an empty store. The files of the old store are removed when nothing reads from it
// any more.
func (c *Cache) Renew() {
	if old := c.store; old != nil && old.dir != "" {
		runtime.AddCleanup(old, func(dir string) { os.RemoveAll(dir) }, old.dir)
	}
	c.tip = plumbing.ZeroHash
	if c.dir != "" && c.slot != nil {
		dir, err := os.MkdirTemp(c.slot.dir, storePrefix)
		if err == nil {
			c.store = New(dir)
			return
		}
		c.UseMemory(err)
	}
	c.store = New("")
}

// Keep stores which commit is complete, for this process and for the next one.
func (c *Cache) Keep(commit plumbing.Hash) {
	if c.tip == commit {
		return
	}
	c.tip = commit
	if c.store.dir == "" {
		return
	}
	if err := c.slot.setCurrent(filepath.Base(c.store.dir), commit); err != nil {
		c.log.Warn("cannot write to the cache folder; the next start fetches everything again", "dir", c.slot.dir, "error", err)
	}
}
