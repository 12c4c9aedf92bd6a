package merge

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// A .gitattributes can have files merged otherwise than line by line, or never.
// Whether it does is up to who merges: a bare repository may not read it, and what
// a driver's name stands for is in no repository. So a file of which any version
// speaks of its merging is a person's to merge once both sides have changed it.

// attributes finds the files of which a .gitattributes says how to merge them.
type attributes struct {
	*merger
	roots  roots
	macros []string // that may say how to merge; nil until they are known
	files  map[attributesAt]*attributeFile
}

type attributesAt struct {
	root   plumbing.Hash
	folder string
}

func (m *merger) attributesOf(r roots) *attributes {
	return &attributes{merger: m, roots: r, files: map[attributesAt]*attributeFile{}}
}

// attributeFile is what a .gitattributes says about merging.
type attributeFile struct {
	patterns []string // of files that are merged in a way of their own
	all      bool     // it cannot be read: it may mean any file
}

const (
	attributesName     = ".gitattributes"
	maxAttributesBytes = 1 << 20
	maxAttributes      = 10_000 // patterns of one file
)

// mayRule says whether a file may be merged in another way than line by line.
func (a *attributes) mayRule(file string) (bool, error) {
	if a.macros == nil {
		if err := a.findMacros(); err != nil {
			return false, err
		}
	}
	for _, root := range a.roots {
		for folder, rest := "", file; ; {
			found, err := a.in(attributesAt{root, folder})
			if err != nil || found.means(rest) {
				return true, err
			}
			name, below, deeper := strings.Cut(rest, "/")
			if !deeper {
				break
			}
			folder, rest = join(folder, name), below
		}
	}
	return false, nil
}

// findMacros reads them where git does: the .gitattributes at the root.
func (a *attributes) findMacros() error {
	a.macros = []string{"binary"}
	for _, root := range a.roots {
		text, _, err := a.text(attributesAt{root, ""})
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			if _, macro, ok := bytes.Cut(line, []byte("[attr]")); ok {
				if fields := strings.Fields(string(macro)); len(fields) > 0 {
					a.macros = append(a.macros, fields[0])
				}
			}
		}
	}
	return nil
}

func (a *attributes) in(at attributesAt) (*attributeFile, error) {
	if f := a.files[at]; f != nil {
		return f, nil
	}
	text, known, err := a.text(at)
	if err != nil {
		return nil, err
	}
	f := &attributeFile{all: !known}
	if known {
		f = parseAttributes(text, a.macros)
	}
	a.files[at] = f
	return f, nil
}

// text is what a .gitattributes says; known is false when it cannot be read.
func (a *attributes) text(at attributesAt) (text []byte, known bool, err error) {
	e, err := a.at(at.root, join(at.folder, attributesName))
	switch {
	case err != nil || e.Hash.IsZero() || e.Mode == filemode.Dir:
		return nil, true, err
	case kindOf(e) != filemode.Regular || a.strange[e.Hash]:
		return nil, false, nil
	}
	if text, made := a.made.Files[e.Hash]; made {
		return text, true, nil
	}
	size, err := a.store.Size(e.Hash)
	if err != nil || size > maxAttributesBytes {
		return nil, false, err
	}
	text, err = a.store.Blob(e.Hash)
	return text, true, err
}

// parseAttributes reads which patterns have something to do with merging. It sees
// more such than git does, and no fewer.
func parseAttributes(text []byte, macros []string) *attributeFile {
	f := &attributeFile{}
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		fields := strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") || strings.HasPrefix(fields[0], "[attr]") {
			continue
		}
		quoted := strings.HasPrefix(fields[0], `"`)
		if !quoted && !slices.ContainsFunc(fields[1:], func(word string) bool { return unusual(word, macros) }) {
			continue
		}
		if f.patterns = append(f.patterns, fields[0]); len(f.patterns) > maxAttributes {
			return &attributeFile{all: true}
		}
	}
	return f
}

// unusual says whether an attribute can make a file be merged otherwise than
// line by line.
func unusual(word string, macros []string) bool {
	name, value, _ := strings.Cut(strings.TrimLeft(word, "-!"), "=")
	if name == "merge" {
		return word != "merge" && word != "!merge" && value != "text"
	}
	return slices.Contains(macros, name)
}

// means says whether a pattern may be one for a file, named from the folder of the
// .gitattributes.
func (f *attributeFile) means(file string) bool {
	return f.all || slices.ContainsFunc(f.patterns, func(pattern string) bool { return mayMatch(pattern, file) })
}

// mayMatch is true when a pattern matches, and for those that only git knows.
func mayMatch(pattern, file string) bool {
	if strings.ContainsAny(pattern, `[\"!`) || strings.Contains(pattern, "**") {
		return true
	}
	pattern, file = strings.ToLower(pattern), strings.ToLower(file) // a server may not know capitals
	if !strings.Contains(pattern, "/") {
		file = path.Base(file)
	}
	return wildcards(strings.TrimPrefix(pattern, "/"), file)
}

// wildcards knows * and ?, which may stand for a slash as well.
func wildcards(pattern, text string) bool {
	star, again := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, again = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p, t = p+1, t+1
		case star >= 0:
			again++
			p, t = star+1, again
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
