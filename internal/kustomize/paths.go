package kustomize

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// find returns the path in the tree of something that a kustomization names. It is a file or a folder that exists, in a
// folder that the stack reads, and no part of the path is a link.
func (c *compiler) find(dir, named string, at manifest.Origin, field string) (name string, info fs.FileInfo, ok bool) {
	name = path.Join(dir, named)
	switch {
	case named == "":
		c.refuse(at, field, "empty", "write the path of a file, or remove it")
	case len(named) > maxName:
		c.refuse(at, field, fmt.Sprintf("a path with more than %d bytes", maxName), "write a shorter one")
	case isAddress(named):
		c.refuse(at, field, "is an address, and nothing is fetched for a kustomization", "commit the files, and name their folder")
	case path.IsAbs(named) || strings.Contains(named, `\`):
		c.refuse(at, field, "is no path relative to the folder of the kustomization", "write it like ../base/web.yaml")
	case name == ".." || strings.HasPrefix(name, "../") || !c.readable(name):
		c.refuse(at, field, "leads out of the folders of the stack", "add its folder to spec.source.overlays in the agent's configuration, or commit the file into one of the stack's folders")
	default:
		info, err := c.lstat(name)
		switch {
		case errors.Is(err, errIrregular):
			c.refuse(at, field, "leads over a symbolic link, which is not followed", "put the file or folder itself at this path")
		case err != nil:
			c.refuse(at, field, "does not exist", "commit it, or correct the path")
		default:
			return name, info, true
		}
	}
	return "", nil, false
}

// maxName is the maximum length of a path, in bytes, as on Linux.
const maxName = 4096

// isAddress reports whether a text may be the address of a file or a repository for kustomize, whatever files exist.
func isAddress(text string) bool {
	before, _, userinfo := strings.Cut(text, "@")
	return strings.Contains(text, "://") || strings.Contains(text, "::") || strings.Contains(text, "?ref=") || userinfo && !strings.Contains(before, "/") && strings.Contains(text, ":") ||
		strings.HasPrefix(text, "http:") || strings.HasPrefix(text, "https:") || strings.Contains(text, "//")
}

func (c *compiler) readable(name string) bool {
	within := func(folder string) bool {
		return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
	}
	return len(c.Folders) == 0 || slices.ContainsFunc(c.Folders, within)
}

// lstat describes a file, and checks each folder above it.
func (c *compiler) lstat(name string) (info fs.FileInfo, err error) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err = fs.Lstat(c.Files, name[:i])
		switch {
		case err != nil:
			return nil, err
		case i < len(name) && !info.IsDir(), !info.IsDir() && !info.Mode().IsRegular():
			return nil, errIrregular
		}
	}
	return info, nil
}

// placeName matches the names that the package gives to files and folders. The first group is the name of a folder, the
// second one that of a file.
const placeName = `(?:\.\./|/)*(?:(folder-\d+-of-stack)(?:/kustomization\.yaml)?|(file-\d+-of-stack)(?:\.yaml)?)`

// readable returns a message of kustomize with the names of the repository's files and without tokens, and the first of these files.
func (s sources) readable(message string) (text string, first place) {
	message = manifest.HideTokens(message)
	names := regexp.MustCompile(placeName)
	text = names.ReplaceAllStringFunc(message, func(found string) string {
		at, ok := s.of(names.FindStringSubmatch(found))
		if !ok {
			return found
		}
		if first.file == "" {
			first = at
		}
		return at.file
	})
	return text, first
}

func (s sources) of(groups []string) (place, bool) {
	if groups[1] != "" {
		dir, ok := s.folders["/"+groups[1]]
		return place{file: path.Join(dir, "kustomization.yaml")}, ok
	}
	at, ok := s.files[groups[2]]
	return at, ok
}

// base returns the name by which the package knows a file for kustomize.
func base(name string) string {
	if path.Base(name) == "kustomization.yaml" {
		name = path.Dir(name)
	}
	return strings.TrimSuffix(path.Base(name), ".yaml")
}
