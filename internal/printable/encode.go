package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes the characters in encoded JSON that are not safe to print. The result represents the same values.
func JSON(encoded []byte) []byte {
	return encode(encoded, func(b *strings.Builder, r rune) {
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
			return
		}
		fmt.Fprintf(b, `\u%04x`, r)
	})
}

// YAML does the same for YAML. Every string in it that is not [Safe] must be in double quotes.
func YAML(encoded []byte) []byte {
	return encode(encoded, func(b *strings.Builder, r rune) { fmt.Fprintf(b, `\U%08x`, r) })
}

// Safe reports whether YAML may contain a text without double quotes.
func Safe(text string) bool {
	if OldBool(text) || !utf8.ValidString(text) || strings.HasPrefix(strings.TrimSpace(text), "::") || strings.ContainsAny(text, "\n\t") {
		return false
	}
	return string(YAML([]byte(text))) == text
}

// OldBool reports whether a text without quotes is a boolean in YAML 1.1, but not in later versions. kubectl and
// this program read manifests as YAML 1.1.
func OldBool(text string) bool {
	switch text {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return true
	}
	return false
}

func encode(text []byte, escape func(*strings.Builder, rune)) []byte {
	var b strings.Builder
	b.Grow(len(text))
	var c commands
	m := marks(maxMarks)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r != '\n' && r != '\t' && (unprintable(r) || m.tooMany(r)), c.completes(r):
			escape(&b, r)
		default:
			b.WriteRune(r)
		}
		c.next(r)
		text = text[n:]
	}
	return []byte(b.String())
}

// JSONWriter writes encoded JSON after [JSON] has escaped it. Each Write must be a whole value.
type JSONWriter struct{ W io.Writer }

// Write implements io.Writer.
func (w JSONWriter) Write(p []byte) (int, error) {
	if _, err := w.W.Write(JSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
