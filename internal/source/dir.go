package source

import (
	"os"
)

// Dir returns the files of a plain folder as a revision without a commit. It
// is read where it is: changes show. A symbolic link is followed only if it
// stays within the folder.
func Dir(path string) (Revision, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Revision{}, fail(ErrNotFound, "%s; name a folder with manifests", err)
	case !info.IsDir():
		return Revision{}, fail(ErrNotFound, "%s is a file; name the folder that holds it", path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return Revision{}, fail(ErrNotFound, "%s; make the folder readable for this process", err)
	}
	return Revision{Time: info.ModTime(), Files: root.FS()}, nil
}
