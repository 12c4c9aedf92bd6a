package store

import (
	"io"
	"os"
	"path"
	"sync"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/util"
)

// memory has the packs of a store without a folder. Small packs are in memory. Large packs are
// files without a name. Such a file is closed when its last reader is gone.
type memory struct {
	billy.Filesystem

	mu    sync.RWMutex
	large map[string]*os.File
}

func newMemory() *memory { return &memory{Filesystem: memfs.New(), large: map[string]*os.File{}} }

// place adds a pack that was received. If the pack is in a file, the memory takes over the file.
func (m *memory) place(name string, o *overflow) error {
	if err := util.WriteFile(m.Filesystem, name, o.text, 0o600); err != nil || o.file == nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.large[path.Clean(name)], o.file = o.file, nil
	return nil
}

func (m *memory) find(name string) *os.File {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.large[path.Clean(name)]
}

func (m *memory) Open(name string) (billy.File, error) { return m.OpenFile(name, os.O_RDONLY, 0) }

func (m *memory) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	f := m.find(name)
	if f == nil || flag != os.O_RDONLY {
		return m.Filesystem.OpenFile(name, flag, perm)
	}
	size, err := sizeOf(f)
	if err != nil {
		return nil, err
	}
	return &largePack{io.NewSectionReader(f, 0, size), name}, nil
}

func (m *memory) Stat(name string) (os.FileInfo, error) {
	f := m.find(name)
	if f == nil {
		return m.Filesystem.Stat(name)
	}
	size, err := sizeOf(f)
	return info{name: path.Base(name), size: size, mode: 0o600, time: time.Time{}}, err
}

func sizeOf(f *os.File) (int64, error) {
	stat, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return stat.Size(), nil
}

// largePack reads a file that has other readers, too.
type largePack struct {
	*io.SectionReader
	name string
}

func (l *largePack) Name() string              { return l.name }
func (l *largePack) Write([]byte) (int, error) { return 0, os.ErrPermission }
func (l *largePack) Truncate(int64) error      { return os.ErrPermission }
func (l *largePack) Lock() error               { return nil }
func (l *largePack) Unlock() error             { return nil }
func (l *largePack) Close() error              { return nil }
