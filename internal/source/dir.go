package source

import (
	"io/fs"
	"os"
	"strings"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// Dir returns the files of a plain folder as a revision without a commit. The files are not copied,
// so the revision changes with the folder. A symbolic link is followed only if its target is in the
// folder.
func Dir(path string) (Revision, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Revision{}, failure.New(ErrNotFound, "%s; give the path of a folder with manifests", err)
	case !info.IsDir():
		return Revision{}, failure.New(ErrNotFound, "%s is a file; give the path of the folder that contains it", path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return Revision{}, failure.New(ErrNotFound, "%s; make the folder readable for this process", err)
	}
	return Revision{Time: info.ModTime(), Files: root.FS(), Folder: path}, nil
}

// WorkTree returns the files below path of a checked-out repository. It reads them from the disk,
// whatever the commits contain. As in commits, no link in path is followed, and nothing outside of
// dir is read. It is an error if one of the folders below path does not exist.
func WorkTree(dir, path string, folders ...string) (Revision, error) {
	rev, err := workTree(dir, path)
	for _, folder := range folders {
		if err != nil {
			break
		}
		_, err = workTree(dir, CleanPath(path+"/"+folder))
	}
	return rev, err
}

func workTree(dir, path string) (Revision, error) {
	if problem := pathProblem(path); problem != "" {
		return Revision{}, failure.New(ErrConfig, "path: %s", problem)
	}
	rev, err := Dir(dir)
	path = CleanPath(path)
	if err != nil || path == "." {
		return rev, err
	}
	var info fs.FileInfo
	at := ""
	for part := range strings.SplitSeq(path, "/") {
		at = strings.TrimPrefix(at+"/"+part, "/")
		if info, err = fs.Lstat(rev.Files, at); err != nil {
			return Revision{}, failure.New(ErrNotFound, "%s has no folder %s; correct source.path, or name the root of the work tree", dir, path)
		}
		if !info.IsDir() {
			return Revision{}, failure.New(ErrNotFound, "%s in %s is no folder, and links are not followed; correct source.path", at, dir)
		}
	}
	rev.Root, rev.Time = path, info.ModTime()
	if rev.Files, err = fs.Sub(rev.Files, path); err != nil {
		return Revision{}, failure.New(ErrNotFound, "%s in %s: %s", path, dir, err)
	}
	return rev, nil
}
