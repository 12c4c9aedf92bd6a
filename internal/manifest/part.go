package manifest

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

// Part is a folder of manifests, or one file that a person has named.
type Part struct {
	// Name is the place in the repository or on this machine. For a file, it is the name of the file. For a folder, it
	// precedes the names of the files in origins and problems; the names in Files do not contain it.
	Name  string
	Files fs.FS // the folder; nil for a file
	// Folder is the folder in Files that is read; "" for the whole of Files.
	Folder string
	// Layer is the place of the part in a series of layers. A document with the key of a document in an earlier layer is
	// merged into it. 0 is the first layer.
	Layer int
	Text  io.Reader // the file; its name does not matter, and it is read only up to the limit
	// Built are the documents of the folder, if a program makes them of its files. The files themselves are then not read.
	// Built is nil if there is no such program.
	Built []Built
	// Sealed are the encrypted files of which the program got copies with tokens.
	Sealed []SealedFile
}

func (l *loader) part(p Part) {
	if p.Built != nil {
		l.built(p.Built, p.Sealed)
		return
	}
	if p.Files != nil {
		l.files, l.root = p.Files, path.Clean(p.Name)
		l.folder(path.Join(l.root, p.Folder), 0)
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

// inside returns the name of a file in the file system. People know the file by its name below root.
func (l *loader) inside(name string) string {
	switch l.root {
	case name:
		return "."
	case ".":
		return name
	}
	return strings.TrimPrefix(name, strings.TrimSuffix(l.root, "/")+"/")
}
