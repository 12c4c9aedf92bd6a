package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// FolderPattern returns the reason why a text cannot be a pattern of folders, or "". Each part of the pattern matches one
// name, so ** and {a,b/c} are not allowed.
func FolderPattern(text string) string {
	switch {
	case text == "" || !doublestar.ValidatePattern(text) || strings.ContainsAny(text, `\{`) || strings.Contains(text, "**"):
		return "is not a pattern of folders; write it like clouds/* or teams/*/prod"
	case path.Clean(text) != text || path.IsAbs(text) || text == ".." || strings.HasPrefix(text, "../"):
		return "does not name a folder below the root of the repository; write it like clouds/*, without a slash at its ends"
	}
	return ""
}

// SplitFolders splits a pattern into the folder that contains all matches, and the pattern below that folder.
func SplitFolders(pattern string) (base, below string) {
	return doublestar.SplitPattern(pattern)
}

// ErrManyFolders is the error of [Folders] if more folders match than it may return.
var ErrManyFolders = errors.New("too many folders")

// Folders returns the folders below files that a pattern matches, sorted, and at most limit of them. Links never match, nor
// do folders whose names begin with a dot.
func Folders(files fs.FS, pattern string, limit int) (found []string, err error) {
	parts := strings.Split(pattern, "/")
	err = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		depth := strings.Count(name, "/")
		switch {
		case err != nil:
			return err
		case name == "." || !e.IsDir():
			return nil
		case strings.HasPrefix(e.Name(), ".") || !doublestar.MatchUnvalidated(parts[depth], e.Name()):
			return fs.SkipDir
		case depth+1 < len(parts):
			return nil
		case len(found) == limit:
			return fmt.Errorf("%w: more than %d match", ErrManyFolders, limit)
		}
		found = append(found, name)
		return fs.SkipDir
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
