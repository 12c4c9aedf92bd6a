// Package printable makes text that strangers wrote safe to print: names of files
// and branches, values of manifests, words of servers and of the cloud.
//
// It knows terminals and the workflow commands that CI systems read from logs.
// It knows nothing of what the text says. A character that could move a cursor,
// end a line, turn the reading direction, hide something or command a CI system
// becomes an escape such as \x1b or \u202e.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLine is how long what [Line] returns can be, in characters.
const MaxLine = 4000

// Line makes one line of text, of at most [MaxLine] characters. Doing so twice
// changes nothing.
func Line(text string) string {
	if len(text) <= MaxLine && harmless(text) {
		return text
	}
	if most := MaxLine * utf8.UTFMax; len(text) > most {
		text = text[:most+1] // one more than is shown: the end is marked as cut
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	var b strings.Builder
	var c commands
	m := marks(maxMarks) // the first character has nothing before it to bear one
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

// Name is a name as it stands within a sentence: in quotes unless it is a single
// word, so that no part of it reads as if it was ours.
func Name(name string) string {
	if name == "" || strings.ContainsFunc(name, notOfWords) {
		return `"` + strings.ReplaceAll(Line(name), `"`, `\"`) + `"`
	}
	return Line(name)
}

func notOfWords(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("-_./@+=~#%", r)
}

// harmless reports quickly that nothing is to be done about a text.
func harmless(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '[' {
			return false
		}
	}
	return true
}

func unprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) || invisible(r) }

// invisible reports whether nothing of a character is to be seen, though it
// counts as printable: variation selectors, joiners and fillers.
func invisible(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

// escape shows a character by its number, as Go writes it.
func escape(r rune) string {
	quoted := strconv.QuoteRuneToASCII(r)
	return quoted[1 : len(quoted)-1]
}

// escapeByte shows one of ASCII by its number.
func escapeByte(r rune) string { return fmt.Sprintf(`\x%02x`, r) }

// maxMarks is how many marks one character can bear: more cover the lines above
// and below.
const maxMarks = 4

// marks counts those that are written over or under one character.
type marks int

// tooMany reports whether r is a mark that is one too many.
func (m *marks) tooMany(r rune) bool {
	if !unicode.In(r, unicode.Mn, unicode.Me) {
		*m = 0
		return false
	}
	*m++
	return *m > maxMarks
}
