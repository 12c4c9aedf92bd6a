package merge

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// A .gitattributes can turn off the line-by-line merge of files, or name another merge driver. Then
// the result depends on the program that merges: in a bare repository, the program may ignore the
// .gitattributes, and no repository contains the driver. So if any version of a .gitattributes sets
// how a file is merged, and both sides have changed that file, a person has to merge it.

// attributes finds the files for which a .gitattributes sets how they are merged.
type attributes struct {
	*merger
	roots  roots
	macros []string // macros that may set how a file is merged; nil until they are known
	files  map[attributesAt]*attributeFile
}

type attributesAt struct {
	root   plumbing.Hash
	folder string
}

func (m *merger) attributesOf(r roots) *attributes {
	return &attributes{merger: m, roots: r, files: map[attributesAt]*attributeFile{}}
}

// attributeFile is the part of a .gitattributes that is about merging.
type attributeFile struct {
	patterns []string // patterns of files that are not merged line by line
	all      bool     // whether the file cannot be read; then it may apply to any file
}

const (
	attributesName     = ".gitattributes"
	maxAttributesBytes = 1 << 20
	maxAttributes      = 10_000 // number of patterns of one file
)

// mayRule reports whether a file .gitattributes may contain a rule for a file, by which that file is not merged line by line.
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

// findMacros reads the macros in the .gitattributes at the root, because git reads macros only
// there.
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

// text returns the text of a file .gitattributes; false if the file cannot be read.
func (a *attributes) text(at attributesAt) (text []byte, known bool, err error) {
	e, err := a.at(at.root, join(at.folder, attributesName))
	switch {
	case err != nil || e.Hash.IsZero() || e.Mode == filemode.Dir:
		return nil, true, err
	case kindOf(e) != filemode.Regular || a.conflictHashes[e.Hash]:
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

// parseAttributes reads the patterns that may be about merging. It finds all patterns that git
// finds, and some more.
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

// unusual reports whether an attribute can change the way in which a file is merged.
func unusual(word string, macros []string) bool {
	name, value, _ := strings.Cut(strings.TrimLeft(word, "-!"), "=")
	if name == "merge" {
		return word != "merge" && word != "!merge" && value != "text"
	}
	return slices.Contains(macros, name)
}

// means reports whether a pattern may match a file. file is a path below the folder of the
// .gitattributes.
func (f *attributeFile) means(file string) bool {
	return f.all || slices.ContainsFunc(f.patterns, func(pattern string) bool { return mayMatch(pattern, file) })
}

// mayMatch reports whether a pattern matches a file. It returns true, too, for a pattern that only
// git can evaluate.
func mayMatch(pattern, file string) bool {
	if strings.ContainsAny(pattern, `[\"!`) || strings.Contains(pattern, "**") {
		return true
	}
	pattern, file = strings.ToLower(pattern), strings.ToLower(file) // the server that merges may ignore letter case
	if !strings.Contains(pattern, "/") {
		file = path.Base(file)
	}
	return wildcards(strings.TrimPrefix(pattern, "/"), file)
}

// wildcards reports whether a text matches a pattern with * and ?. Both of them also match a slash.
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
