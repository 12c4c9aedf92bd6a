package review

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
)

// plainLines returns the lines of a comment that begin with prefix and that every forge shows as words of the comment's author. These
// are whole lines of plain text in top-level paragraphs. The line may end with a word in a code span.
//
// HTML with any tag can hide the text after it, so no line after HTML counts. HTML comments hide only their own text.
func plainLines(body, prefix string) (lines []string) {
	source := []byte(strings.ReplaceAll(body, "\r\n", "\n"))
	doc := markdown().Parse(gtext.NewReader(source))
	for block := doc.FirstChild(); block != nil; block = block.NextSibling() {
		switch b := block.(type) {
		case *ast.HTMLBlock:
			if !onlyComments(b, source) {
				return lines
			}
		case *ast.ThematicBreak:
			if block.PreviousSibling() == nil {
				return nil // some forges read this as front matter
			}
		case *ast.Paragraph:
			said, open := paragraph(b, source, prefix)
			lines = append(lines, said...)
			if open {
				return lines
			}
		default:
			if hasHTML(block) {
				return lines
			}
		}
	}
	return lines
}

// markdown returns a parser that reads Markdown as forges do.
func markdown() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
}

// paragraph returns the lines of a paragraph that begin with prefix and are plain words. open is true if the
// paragraph contains something that can hide the text after it.
func paragraph(p *ast.Paragraph, source []byte, prefix string) (said []string, open bool) {
	var whole []byte
	for i := range p.Lines().Len() {
		at := p.Lines().At(i)
		whole = append(whole, at.Value(source)...)
	}
	// A forge may treat text that looks like HTML or a formula as HTML or a formula.
	if hasHTML(p) || bytes.Contains(whole, []byte("<!--")) || bytes.Contains(whole, []byte("$$")) {
		return nil, true
	}
	plain := rolesOf(p, source)
	for i := range p.Lines().Len() {
		at := p.Lines().At(i)
		start := bytes.LastIndexByte(source[:at.Start], '\n') + 1
		line := strings.TrimRight(string(source[start:at.Stop]), " \t\n")
		if line != prefix && !strings.HasPrefix(line, prefix+" ") && !strings.HasPrefix(line, prefix+"\t") {
			continue
		}
		if isPlainWords(line, plain[start:start+len(line)]) {
			said = append(said, line)
		}
	}
	return said, false
}

// These are the roles of a byte of the source.
const (
	structure = iota // Markdown that is not shown, or text that is not plain, such as a link
	words            // plain text of a paragraph
	coded            // text of a code span
)

// rolesOf returns the role of each byte of the source in a paragraph.
func rolesOf(p *ast.Paragraph, source []byte) []byte {
	is := make([]byte, len(source)+1)
	mark := func(n ast.Node, as byte) {
		if t, ok := n.(*ast.Text); ok {
			for i := t.Segment.Start; i < t.Segment.Stop; i++ {
				is[i] = as
			}
		}
	}
	for n := p.FirstChild(); n != nil; n = n.NextSibling() {
		mark(n, words)
		if span, ok := n.(*ast.CodeSpan); ok {
			for t := span.FirstChild(); t != nil; t = t.NextSibling() {
				mark(t, coded)
			}
		}
	}
	return is
}

// isPlainWords reports whether a line is plain words. Its last word may be a code span.
func isPlainWords(line string, is []byte) bool {
	last := strings.LastIndexByte(line, ' ') + 1
	if word := line[last:]; len(word) > 2 && word[0] == '`' && strings.Count(word, "`") == 2 && word[len(word)-1] == '`' {
		return all(is[:last], words) && all(is[last+1:len(line)-1], coded)
	}
	return all(is, words)
}

func all(is []byte, as byte) bool {
	return bytes.Count(is, []byte{as}) == len(is)
}

// onlyComments reports whether an HTML block consists only of complete comments.
func onlyComments(b *ast.HTMLBlock, source []byte) bool {
	var html []byte
	for i := range b.Lines().Len() {
		at := b.Lines().At(i)
		html = append(html, at.Value(source)...)
	}
	if b.HasClosure() {
		html = append(html, b.ClosureLine.Value(source)...)
	}
	for rest := bytes.TrimSpace(html); len(rest) > 0; rest = bytes.TrimSpace(rest) {
		inner, ok := bytes.CutPrefix(rest, []byte("<!--"))
		if !ok {
			return false
		}
		// Browsers end a comment at "-->" and "--!>". They end it immediately if it starts with "<!-->" or
		// "<!--->".
		text, after, ok := bytes.Cut(inner, []byte("-->"))
		if !ok || bytes.HasPrefix(inner, []byte(">")) || bytes.HasPrefix(inner, []byte("->")) || bytes.Contains(text, []byte("--!>")) {
			return false
		}
		rest = after
	}
	return true
}

// hasHTML reports whether a part of the document contains HTML.
func hasHTML(n ast.Node) bool {
	found := false
	_ = ast.Walk(n, func(n ast.Node, _ bool) (ast.WalkStatus, error) { // the function never fails
		switch n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock:
			found = true
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return found
}
