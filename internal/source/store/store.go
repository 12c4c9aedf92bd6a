package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-billy/v5/util"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Store has packs, on disk or in memory, and reads objects from them. Packs are only added, never
// removed. If a store is too large or broken, another one replaces it. The old store remains for
// the revisions that still read from it.
type Store struct {
	dir    string // empty for a store in memory
	fs     billy.Filesystem
	broken atomic.Bool // whether an object of the store could not be read
	// temporary makes files for packs that are too large for memory.
	temporary  func() (*os.File, error)
	objectWork int64 // the limit of the work for one object; tests lower it

	mu       sync.Mutex // go-git's storage is not safe for concurrent use
	objects  *filesystem.Storage
	packs    []packFile
	complete map[plumbing.Hash]bool // the trees of which all objects are in the store
}

type packFile struct {
	name string
	size int64
}

// ObjectCacheBytes is the memory that go-git may use as a cache of objects.
const ObjectCacheBytes = 16 * cache.MiByte

// MaxPacks is the number of packs at which a store is full.
const MaxPacks = 32

const (
	maxGrowth  = 4        // a store is full if its size is more than this many times that of its largest pack.
	freeGrowth = 64 << 20 // this number of bytes is added to that limit.
	packFolder = "objects/pack"
)

// New returns an empty store in the folder dir, or in memory if dir is empty.
func New(dir string) *Store {
	s := &Store{dir: dir, temporary: unnamed, objectWork: maxObjectWork, complete: map[plumbing.Hash]bool{}}
	if dir == "" {
		s.fs = newMemory()
	} else {
		s.fs = osfs.New(dir, osfs.WithBoundOS())
	}
	s.reopen()
	return s
}

func (s *Store) reopen() {
	if s.objects != nil {
		_ = s.objects.Close() // the storage was only read
	}
	s.objects = filesystem.NewStorageWithOptions(s.fs, cache.NewObjectLRU(ObjectCacheBytes),
		filesystem.Options{KeepDescriptors: true})
}

// Receive adds a pack to the store. After an error, no part of the pack is in the store.
func (s *Store) Receive(ctx context.Context, r io.Reader) error {
	if in, ok := s.fs.(*memory); ok {
		f := &overflow{temporary: s.temporary}
		defer f.close()
		if _, err := io.Copy(f, r); err != nil {
			return fmt.Errorf("receiving the pack: %w", err)
		}
		return s.install(ctx, f, func(name string) error { return in.place(name, f) })
	}
	f, err := os.CreateTemp(s.dir, "incoming-")
	if err != nil {
		return cacheError(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := io.Copy(cacheWriter{f}, r); err != nil {
		return fmt.Errorf("receiving the pack: %w", err)
	}
	return s.install(ctx, f, func(name string) error {
		return os.Rename(f.Name(), filepath.Join(s.dir, filepath.FromSlash(name)))
	})
}

// install indexes a pack. It calls place to move the pack to its final name, under which objects
// are read from it.
func (s *Store) install(ctx context.Context, pack spool, place func(name string) error) error {
	scan, err := scanPack(ctx, pack)
	if err != nil {
		return err
	}
	added, err := s.completePack(ctx, pack, scan.missing())
	if err != nil {
		return err
	}
	if added {
		if scan, err = scanPack(ctx, pack); err != nil {
			return err
		}
	}
	if err := scan.resolve(ctx, s.objectWork); err != nil {
		return err
	}
	index := scan.index()
	size, err := pack.Seek(0, io.SeekEnd)
	if err != nil {
		return cacheError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := packFolder + "/pack-" + scan.sum.String()
	if err := s.fs.MkdirAll(packFolder, 0o700); err != nil {
		return cacheError(err)
	}
	if err := util.WriteFile(s.fs, name+".idx", index, 0o600); err != nil {
		return cacheError(err)
	}
	if err := place(name + ".pack"); err != nil {
		return cacheError(err)
	}
	s.packs = append(s.packs, packFile{name + ".pack", size})
	s.reopen()
	return nil
}

// Full reports whether a new store should replace this one: it has too many packs, or is much larger than its largest pack.
func (s *Store) Full() bool {
	var total, largest int64
	for _, p := range s.packs {
		total += p.size
		largest = max(largest, p.size)
	}
	return len(s.packs) >= MaxPacks || total > freeGrowth+maxGrowth*largest
}

// PackSizes returns the lengths of the packs in bytes, in the order in which they were received.
func (s *Store) PackSizes() (sizes []int64) {
	for _, p := range s.packs {
		sizes = append(sizes, p.size)
	}
	return sizes
}

// Intact reports whether all packs still exist with their sizes, and no read has failed.
func (s *Store) Intact() bool {
	if s.broken.Load() {
		return false
	}
	for _, p := range s.packs {
		if info, err := s.fs.Stat(p.name); err != nil || info.Size() != p.size {
			return false
		}
	}
	return true
}

// object reads one object.
func (s *Store) object(t plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects.EncodedObject(t, h)
}

// Size returns an object's length without inflating the object.
func (s *Store) Size(h plumbing.Hash) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects.EncodedObjectSize(h)
}

func (s *Store) has(h plumbing.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects.HasEncodedObject(h) == nil
}

// Blob reads a file's content. A file that cannot be read marks the store as broken.
func (s *Store) Blob(h plumbing.Hash) ([]byte, error) {
	o, err := s.object(plumbing.BlobObject, h)
	if err != nil {
		s.broken.Store(true)
		return nil, err
	}
	return content(o)
}

func content(o plumbing.EncodedObject) ([]byte, error) {
	r, err := o.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxObjectBytes))
}

// ErrCache marks errors of this machine's cache folder. Errors of the server or of the repository
// are not marked.
var ErrCache = errors.New("cache folder")

func cacheError(err error) error { return fmt.Errorf("%w: %w", ErrCache, err) }

// cacheWriter marks errors of writing to the cache folder, such as those of a full disk. So they
// differ from errors of a lost connection.
type cacheWriter struct{ w io.Writer }

func (c cacheWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		err = cacheError(err)
	}
	return n, err
}
