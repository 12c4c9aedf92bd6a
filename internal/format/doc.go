// Package format lays out files of manifests: indentation, spaces, blank lines, and the order of the fields apiVersion, kind,
// metadata and spec.
//
// The layout of a text is a pure function of it. The text stays as it is, except for spaces, line breaks and the order of whole
// fields of a document: comments, quotes and the style of each value are kept. Before a new text is returned, both texts are
// parsed and compared, so a mistake of this package is an error and never a changed value.
//
// The package does not know kinds. It writes files only below the given paths, and never through a symbolic link.
package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the maximum size of a file.
const MaxBytes = 4 << 20

// These are the reasons why a file is left as it is, without a mistake in it.
var (
	ErrEncrypted  = errors.New("the file is encrypted")
	ErrNoManifest = errors.New("the file has no document with apiVersion and kind")
)

// breaks are characters that some programs take for line breaks, and the byte order mark.
const breaks = "\r\u0085\u2028\u2029\uFEFF"

// Text returns the layout of a file. If it returns an error, the file has to stay as it is.
func Text(text []byte) ([]byte, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("larger than %d bytes", MaxBytes)
	}
	plain := strings.ReplaceAll(string(text), "\r\n", "\n")
	if !utf8.ValidString(plain) || strings.ContainsAny(plain, breaks) {
		return nil, errors.New("the file is no UTF-8, or has a byte order mark or unusual line breaks; save it as plain UTF-8")
	}
	docs, err := documents(plain)
	if err != nil {
		return nil, err
	}
	switch {
	case slices.ContainsFunc(docs, document.encrypted):
		return nil, ErrEncrypted
	case !slices.ContainsFunc(docs, document.isManifest):
		return nil, ErrNoManifest
	}
	var b strings.Builder
	for i, d := range docs {
		lines, err := d.layout()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", d.line, err)
		}
		if d.header != "" {
			b.WriteString(strings.TrimRight(d.header, " \t") + "\n")
		}
		if i == len(docs)-1 {
			lines = withoutEnd(lines)
		}
		for _, l := range lines {
			b.WriteString(l.text + "\n")
		}
	}
	after := b.String()
	if last := docs[len(docs)-1]; last.cut && last.endsInside() {
		after = strings.TrimSuffix(after, "\n")
	}
	return []byte(after), same(docs, plain, after)
}

// withoutEnd removes blank lines from the end.
func withoutEnd(lines []line) []line {
	for len(lines) > 0 && lines[len(lines)-1].role == blank {
		lines = lines[:len(lines)-1]
	}
	return lines
}
