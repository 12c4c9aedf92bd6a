package manifest

import (
	"io/fs"
	"path"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// Selection says which files of a folder are manifests of a stack. Its patterns are of paths below the folder, where *
// is a part of one name and ** any number of folders. The zero value is all.
type Selection struct {
	// Include are the files that are read; none means all.
	Include []string
	// Exclude are files, and folders with all that is in them, that are not read whatever Include says.
	Exclude []string
}

// Of is the folder with only what is selected. Files that are opened by their names are not looked at: only lists are.
func (s Selection) Of(files fs.FS) fs.FS {
	if len(s.Include) == 0 && len(s.Exclude) == 0 {
		return files
	}
	return selected{files, s}
}

// Pattern reports whether a text can be one of the patterns.
func Pattern(text string) bool { return text != "" && doublestar.ValidatePattern(text) }

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}

type selected struct {
	fs.FS
	Selection
}

// ReadDir implements fs.ReadDirFS.
func (s selected) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, dir)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		name := path.Join(dir, e.Name())
		return matches(s.Exclude, name) || !e.IsDir() && len(s.Include) > 0 && !matches(s.Include, name)
	}), err
}

// Stat implements fs.StatFS, as the folder does: some describe a link and do not follow it.
func (s selected) Stat(name string) (fs.FileInfo, error) { return fs.Stat(s.FS, name) }
