package printable

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Writer is the last step before a terminal or a log. It escapes all characters that are not safe to print. It
// does not change line ends and tabs, nor the colors and cursor movements of this program if they are allowed.
type Writer struct {
	w      io.Writer
	colors bool
	line   commands
	obeyed bool // reports whether commands to CI systems are allowed
	marks  marks
	rest   []byte // the beginning of a character whose end is not written yet
}

// NewWriter returns a Writer that writes to w. With colors, the escape sequences of this program are allowed,
// because w is a terminal.
func NewWriter(w io.Writer, colors bool) *Writer { return &Writer{w: w, colors: colors} }

// NewCommandWriter returns a Writer that allows commands to CI systems. Its callers must have escaped untrusted
// text.
func NewCommandWriter(w io.Writer) *Writer { return &Writer{w: w, obeyed: true} }

// Write implements io.Writer. It is not safe for concurrent use.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.rest) > 0 {
		text = append(w.rest, p...)
		w.rest = nil
	}
	var b strings.Builder
	for len(text) > 0 {
		if !utf8.FullRune(text) {
			w.rest = append([]byte(nil), text...)
			break
		}
		text = text[w.one(&b, text):]
	}
	if _, err := io.WriteString(w.w, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ours matches the escape sequences that this program writes: colors, and those that erase a block before it is
// drawn again (ECMA-48).
var ours = pattern.Of(`^\x1b\[(?:[0-9]{1,2}m|[0-9]{1,3}A|J)`)

// one writes the first character of text, or an escape sequence of this program, and returns its length.
func (w *Writer) one(b *strings.Builder, text []byte) int {
	if w.colors && text[0] == '\x1b' {
		if n := len(ours.Regexp().Find(text[:min(len(text), len("\x1b[999A"))])); n > 0 {
			b.Write(text[:n])
			return n
		}
	}
	r, n := utf8.DecodeRune(text)
	switch {
	case r == '\n' || r == '\t':
		b.WriteRune(r)
	case r == utf8.RuneError && n == 1:
		b.WriteRune(utf8.RuneError)
	case unprintable(r) || w.marks.tooMany(r):
		b.WriteString(escape(r))
	case w.line.completes(r) || !w.obeyed && w.line.opens(r):
		b.WriteString(escapeByte(r))
	default:
		b.WriteRune(r)
	}
	w.line.next(r)
	return n
}
