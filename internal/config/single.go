package config

import (
	"io"
	"io/fs"
	"strings"
	"time"
)

// single is a file system that holds one file of configuration.
type single struct{ text []byte }

const singleName = "stackreeve.yaml"

// Open implements fs.FS.
func (s single) Open(name string) (fs.File, error) {
	if name == singleName {
		return &opened{entry: entry{int64(len(s.text))}, Reader: strings.NewReader(string(s.text))}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements fs.ReadDirFS.
func (s single) ReadDir(string) ([]fs.DirEntry, error) {
	return []fs.DirEntry{fs.FileInfoToDirEntry(entry{int64(len(s.text))})}, nil
}

// entry describes the file.
type entry struct{ size int64 }

func (e entry) Name() string     { return singleName }
func (e entry) Size() int64      { return e.size }
func (entry) Mode() fs.FileMode  { return 0o444 }
func (entry) ModTime() time.Time { return time.Time{} }
func (entry) IsDir() bool        { return false }
func (entry) Sys() any           { return nil }

type opened struct {
	entry
	io.Reader
}

func (f *opened) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *opened) Close() error               { return nil }
