package comment

import (
	"html"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/report"
)

// These are the maximum lengths of untrusted texts, in characters.
const (
	longestName  = 300 // for a name, a field or a file
	longestProse = 1_000
	longestValue = 400 // for a line of a diff
)

// code returns text as a code span. Forges make no mention, reference or link in a code span.
func code(text string) string { return span(text, longestName) }

func span(text string, most int) string {
	text = printable.Shorten(report.Clean(strings.TrimRight(text, "\n")), most)
	if text == "" {
		text = "(empty)"
	}
	mark := strings.Repeat("`", longestRun(text)+1)
	if strings.ContainsRune("` ", rune(text[0])) || strings.ContainsRune("` ", rune(text[len(text)-1])) {
		text = " " + text + " " // a Markdown parser removes one space on each side (CommonMark 0.31, 6.1)
	}
	return mark + text + mark
}

// codeHTML returns text as code in HTML, such as in a summary.
func codeHTML(text string) string { return spanHTML(text, longestName) }

func spanHTML(text string, most int) string {
	return "<code>" + html.EscapeString(printable.Shorten(report.Clean(text), most)) + "</code>"
}

// style contains the functions that format texts in Markdown or in HTML.
type style struct {
	// code formats a name. quote formats a sentence that may contain untrusted words: a name, an answer of the cloud, an error. The whole sentence is
	// code, so that nobody mistakes the words for a text of Stackreeve.
	code, quote func(string) string
	// prose formats a sentence of Stackreeve. Everything in it except plain words and numbers is code, too.
	prose func(string) string
}

func inMarkdown() style { return style{code, quote, prose} }

func inHTML() style { return style{codeHTML, quoteHTML, proseHTML} }

// Quoted returns a sentence that may contain untrusted words, as Markdown.
func Quoted(text string) string { return quote(text) }

func quote(text string) string { return span(text, longestProse) }

func quoteHTML(text string) string { return spanHTML(text, longestProse) }

func prose(text string) string { return sentence(text, code) }

func proseHTML(text string) string { return sentence(text, codeHTML) }

var (
	plainWord = pattern.Of(`^(\p{L}+(['’-]\p{L}+)*|[0-9]{1,6}%?|…|—)$`)
	// commitLike matches words that forges turn into links to commits; forges differ in where such a word may begin.
	commitLike = pattern.Of(`[0-9a-fA-F]{7,}`)
	// listLike matches words that begin a numbered list at the start of a line.
	listLike = pattern.Of(`^[0-9]+[.)]$`)
)

func plain(word string) bool {
	return word == "" || plainWord.MatchString(word) && !commitLike.MatchString(word)
}

// sentence formats those words of text that are not plain with the function set. Neighbouring words are formatted together.
func sentence(text string, set func(string) string) string {
	words := strings.Fields(printable.Shorten(report.Clean(strings.Join(strings.Fields(text), " ")), longestProse))
	var out []string
	var run string // words to be formatted together
	flush := func(tail string) {
		if run != "" {
			out = append(out, set(run)+tail)
			run = ""
		}
	}
	for i, word := range words {
		lead, core, tail := trimmed(word)
		if plain(core) && (i > 0 || !listLike.MatchString(word)) {
			flush("")
			out = append(out, word)
			continue
		}
		if lead != "" {
			flush("")
			out = append(out, lead+set(core)+tail)
			continue
		}
		run = strings.TrimSpace(run + " " + core)
		if tail != "" {
			flush(tail)
		}
	}
	flush("")
	return strings.Join(out, " ")
}

// trimmed splits a word from its punctuation.
func trimmed(word string) (lead, core, tail string) {
	core = strings.TrimLeft(word, `("'`)
	lead = word[:len(word)-len(core)]
	ends := `.,;:)?!…`
	if strings.ContainsAny(lead, `"'`) {
		ends += `"'`
	}
	core = strings.TrimRight(core, ends)
	return lead, core, word[len(lead)+len(core):]
}

// fenced returns lines as a code block. No line can close the block.
func fenced(language string, lines []string) string {
	longest := 2
	for i, line := range lines {
		lines[i] = printable.Shorten(report.Clean(line), longestValue)
		longest = max(longest, longestRun(lines[i]))
	}
	mark := strings.Repeat("`", longest+1)
	return mark + language + "\n" + strings.Join(lines, "\n") + "\n" + mark
}

// longestRun is the length of the longest run of backticks in text.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
