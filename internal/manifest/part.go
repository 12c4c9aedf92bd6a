package manifest

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

// Part is a folder of manifests, or one file that a person has named.
type Part struct {
	// Name is the place in the repository or on this machine. In origins and problems it stands before the names of a
	// folder's files, or it is the name of the file. The names in Files do not contain it.
	Name  string
	Files fs.FS     // the folder; nil for a file
	Text  io.Reader // the file, read up to the limit, whatever its name
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

// inside returns the name that the file system has for a file that people know by its name below root.
func (l *loader) inside(name string) string {
	switch l.root {
	case name:
		return "."
	case ".":
		return name
	}
	return strings.TrimPrefix(name, strings.TrimSuffix(l.root, "/")+"/")
}
