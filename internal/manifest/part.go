package manifest

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

// Part is a folder of manifests, or one file that a person has named.
type Part struct {
	// Name stands before the names of a folder's files, or is the file's, in origins and problems: where they are in the
	// repository or on this machine. It is no part of the names that Files knows.
	Name  string
	Files fs.FS     // the folder; nil for a file
	Text  io.Reader // the file: whatever its name, it is read, and not beyond the limit
}

func (l *loader) part(p Part) {
	if p.Files != nil {
		l.files, l.root = p.Files, path.Clean(p.Name)
		l.folder(l.root, 0)
		return
	}
	if l.over() {
		return
	}
	if text, ok := l.checked(p.Name, func() ([]byte, error) { return l.allOf(p.Text) }); ok {
		l.file(p.Name, text)
	}
}

func (l *loader) allOf(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, l.opts.MaxFileBytes+1))
	if int64(len(text)) > l.opts.MaxFileBytes {
		return nil, errTooLarge
	}
	return text, err
}

// inside is what the file system calls a file that people know by its name below root.
func (l *loader) inside(name string) string {
	switch l.root {
	case name:
		return "."
	case ".":
		return name
	}
	return strings.TrimPrefix(name, strings.TrimSuffix(l.root, "/")+"/")
}
