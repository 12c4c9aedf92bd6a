// Package printable makes untrusted text safe to print: names of files and branches, values of manifests,
// messages of servers and of the cloud.
//
// The package handles terminals and the workflow commands that CI systems read from logs. It does not depend on
// the meaning of the text. A character becomes an escape such as \x1b or \u202e if it could move a cursor, end a
// line, change the reading direction, hide something or command a CI system.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLine is the maximum length of the result of [Line], in characters.
const MaxLine = 4000

// Line returns a text as one line of at most [MaxLine] characters. If it is applied to its own result, it
// changes nothing.
func Line(text string) string {
	if len(text) <= MaxLine && harmless(text) {
		return text
	}
	if most := MaxLine * utf8.UTFMax; len(text) > most {
		text = text[:most+1] // one more than is shown, so that the end is marked as cut
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	var b strings.Builder
	var c commands
	m := marks(maxMarks) // there is no character before the first one to which a mark could belong
	length, fits := 0, 0
	for _, r := range text {
		shown := string(r)
		switch {
		case unprintable(r) || m.tooMany(r):
			shown = escape(r)
		case c.completes(r):
			shown = escapeByte(r)
		}
		if c.next(r); length < MaxLine {
			fits = b.Len()
		}
		b.WriteString(shown)
		if length += utf8.RuneCountInString(shown); length > MaxLine {
			return b.String()[:fits] + "…"
		}
	}
	return b.String()
}

// Name returns a name for use in a sentence. It is in quotes unless it is a single word, so that no part of it
// looks like a part of the sentence.
func Name(name string) string {
	if name == "" || strings.ContainsFunc(name, notOfWords) {
		return `"` + strings.ReplaceAll(Line(name), `"`, `\"`) + `"`
	}
	return Line(name)
}

func notOfWords(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("-_./@+=~#%", r)
}

// harmless is a fast check: it reports whether a text needs no change.
func harmless(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '[' {
			return false
		}
	}
	return true
}

func unprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) || invisible(r) }

// invisible reports whether a character cannot be seen although it counts as printable: variation selectors,
// joiners and fillers.
func invisible(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

// escape returns the number of a character, as Go writes it.
func escape(r rune) string {
	quoted := strconv.QuoteRuneToASCII(r)
	return quoted[1 : len(quoted)-1]
}

// escapeByte returns the number of an ASCII character.
func escapeByte(r rune) string { return fmt.Sprintf(`\x%02x`, r) }

// maxMarks is the maximum number of marks of one character. More marks would cover the lines above and below.
const maxMarks = 4

// marks counts the marks that are written over or under one character.
type marks int

// tooMany adds r, and reports whether it is a mark above the maximum.
func (m *marks) tooMany(r rune) bool {
	if !unicode.In(r, unicode.Mn, unicode.Me) {
		*m = 0
		return false
	}
	*m++
	return *m > maxMarks
}
