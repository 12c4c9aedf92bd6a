package comment

import (
	"html"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/report"
)

// How much of a text from elsewhere is shown, in characters.
const (
	longestName  = 300 // of a name, a field, a file
	longestProse = 1_000
	longestValue = 400 // of a line of a diff
)

// code is text as a code span: forges make no mention, reference or link in one.
func code(text string) string { return span(text, longestName) }

func span(text string, most int) string {
	text = printable.Shorten(report.Clean(strings.TrimRight(text, "\n")), most)
	if text == "" {
		text = "(empty)"
	}
	mark := strings.Repeat("`", longestRun(text)+1)
	if strings.ContainsRune("` ", rune(text[0])) || strings.ContainsRune("` ", rune(text[len(text)-1])) {
		text = " " + text + " " // one of them is dropped on each side (CommonMark 0.31, 6.1)
	}
	return mark + text + mark
}

// codeHTML is code for HTML, such as a summary.
func codeHTML(text string) string { return spanHTML(text, longestName) }

func spanHTML(text string, most int) string {
	return "<code>" + html.EscapeString(printable.Shorten(report.Clean(text), most)) + "</code>"
}

// style is how texts are set: in Markdown or in HTML.
type style struct {
	// code sets a name. quote sets a sentence that may contain words from elsewhere: a name, an answer of the cloud, an error. All of it is
	// code, so that nobody takes such words for ours.
	code, quote func(string) string
	// prose sets a sentence of ours. Anything in it except plain words and numbers is code all the same.
	prose func(string) string
}

func inMarkdown() style { return style{code, quote, prose} }

func inHTML() style { return style{codeHTML, quoteHTML, proseHTML} }

// Quoted is a sentence that may contain words from elsewhere, as Markdown.
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

// sentence sets the words of text that are not plain with set, neighbours together.
func sentence(text string, set func(string) string) string {
	words := strings.Fields(printable.Shorten(report.Clean(strings.Join(strings.Fields(text), " ")), longestProse))
	var out []string
	var run string // words that will be set together
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

// fenced is lines as a code block. No line can close it.
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
