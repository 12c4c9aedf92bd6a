package manifest

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// Selection selects the files of a folder that are manifests of a stack. Its patterns match paths below the folder: *
// matches a part of one name, and ** matches any number of folders. The zero value selects all files.
type Selection struct {
	// Include lists the files to read. A folder in it includes all files below the folder. If Include is empty, all files are
	// read.
	Include []string
	// Exclude lists files that are not read, even if Include contains them. A folder in it excludes all files below the
	// folder.
	Exclude []string
	// Folders are the folders whose files are selected; all if it is empty. Patterns then match paths below each of them.
	Folders []string
}

// Of returns the folder with only the selected files. It filters the lists of folders. A file that is opened by its name
// is not checked.
func (s Selection) Of(files fs.FS) fs.FS {
	if len(s.Include) == 0 && len(s.Exclude) == 0 {
		return files
	}
	return &selected{FS: files, of: s, unmatched: slices.Concat(s.Exclude, s.Include)}
}

// Unmatched returns the patterns that have matched nothing so far. files is a folder that [Selection.Of] returned.
func Unmatched(files fs.FS) []string {
	s, ok := files.(*selected)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unmatched)
}

// Selects reports whether a path below the folder is selected. For a folder or submodule, it reports whether any file in
// it may be selected.
func (s Selection) Selects(name string) bool {
	name, within := s.below(name)
	if name == "." || !within {
		return within
	}
	for dir := name; dir != "."; dir = path.Dir(dir) {
		if matches(s.Exclude, dir) {
			return false
		}
	}
	return len(s.Include) == 0 || !isManifestName(name) || matches(s.Include, name)
}

// below returns the path below one of the folders to which the patterns apply. The path is "." for these folders and for
// those that contain them. For any other path, below returns false.
func (s Selection) below(name string) (rest string, within bool) {
	if len(s.Folders) == 0 {
		return name, true
	}
	for _, folder := range s.Folders {
		switch {
		case folder == ".":
			return name, true
		case name == "." || name == folder || strings.HasPrefix(folder, name+"/"):
			return ".", true
		case strings.HasPrefix(name, folder+"/"):
			return name[len(folder)+1:], true
		}
	}
	return name, false
}

// NoPattern returns the reason why a text cannot be a pattern, and a valid form. It returns "" if the text can be a
// pattern.
func NoPattern(text string) string {
	switch {
	case strings.HasPrefix(text, "!"):
		return "begins with !, but patterns cannot be negated; write patterns for the files that are read in include, and for the others in exclude"
	case strings.Contains(text, `\`):
		return `holds a backslash; separate folders with /, as in ` + strings.ReplaceAll(text, `\`, "/")
	case anchored(text) == "" || !doublestar.ValidatePattern(text) || slices.Contains(strings.Split(text, "/"), ".."):
		return "is not a pattern; write it like net/*.yaml or **/drafts"
	}
	return ""
}

// anchored returns a pattern in the form for comparisons: ./drafts, /drafts and drafts/ all mean drafts, as in git.
func anchored(pattern string) string {
	return strings.TrimPrefix(path.Clean("/"+pattern), "/")
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return match(pattern, name) })
}

// match reports whether a pattern matches a file. A pattern that is the name of a folder matches all files below the
// folder.
func match(pattern, name string) bool {
	pattern = anchored(pattern)
	return doublestar.MatchUnvalidated(pattern, name) || !strings.ContainsAny(pattern, "*?[{") && strings.HasPrefix(name, pattern+"/")
}

type selected struct {
	fs.FS
	of Selection

	mu        sync.Mutex
	unmatched []string
}

// ReadDir implements fs.ReadDirFS.
func (s *selected) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		name, within := s.of.below(path.Join(dir, e.Name()))
		if name == "." || !within {
			return !within
		}
		s.unmatched = slices.DeleteFunc(s.unmatched, func(pattern string) bool { return match(pattern, name) })
		return matches(s.of.Exclude, name) || len(s.of.Include) > 0 && !mayHoldOthers(e) && !matches(s.of.Include, name)
	}), err
}

// mayHoldOthers reports whether there may be files below an entry. Such entries are folders, submodules, links whose names
// are not those of manifests, and the .git of another repository.
func mayHoldOthers(e fs.DirEntry) bool {
	return e.IsDir() || !e.Type().IsRegular() && !isManifestName(e.Name()) || e.Name() == ".git"
}

// Stat implements fs.StatFS. It calls fs.Stat on the folder, because some file systems describe a link and do not follow
// it.
func (s *selected) Stat(name string) (fs.FileInfo, error) { return fs.Stat(s.FS, name) }

// ReadLink implements fs.ReadLinkFS, so that a link to a file is not mistaken for a folder.
func (s *selected) ReadLink(name string) (string, error) { return fs.ReadLink(s.FS, name) }

// Lstat implements fs.ReadLinkFS.
func (s *selected) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(s.FS, name) }
