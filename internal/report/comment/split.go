package comment

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	// MaxParts is the maximum number of comments for a text.
	MaxParts = 5
	// shortest is the smallest limit for a part.
	shortest = 1_000
	// titleKept is the maximum length of the title of a fold that is repeated in the next part.
	titleKept = 200

	continued = "*Continued.*\n\n"
	leftOut   = "**%s.** The check run of the commit, if there is one, has the complete text, and `stackreeve plan -o markdown` prints it.\n\n"
)

// Split cuts a comment into at most [MaxParts] parts of at most limit characters each. limit is at least 1,000. Code blocks and folds that are cut
// are closed, and opened again in the next part. If the text is too long for all parts together, some lines between the last two parts are left
// out, and their number is written there.
func Split(body string, limit int) []string {
	limit = max(limit, shortest)
	body = strings.ToValidUTF8(body, "\ufffd")
	if utf8.RuneCountInString(body) <= limit {
		return []string{body}
	}
	s := newSplitter(body, limit)
	var parts []string
	from := 0
	for len(parts) < MaxParts && from < len(s.lines) {
		head := ""
		if len(parts) > 0 {
			head = continued
		}
		if len(parts) == MaxParts-1 {
			end := s.tail(from)
			if end > from {
				head = fmt.Sprintf(leftOut, s.missing(from, end))
			}
			from = end
		}
		var text string
		text, from = s.part(from, head)
		parts = append(parts, text)
	}
	return parts
}

// splitter contains for each line of a text which code block and folds are open before it.
type splitter struct {
	limit int
	lines []string
	sizes []int  // the sizes of the lines in characters, with the line end if there is one.
	open  []nest // what is open before each line, and at the end
}

func newSplitter(body string, limit int) *splitter {
	s := &splitter{limit: limit, lines: strings.Split(body, "\n")}
	var now nest
	for i, line := range s.lines {
		if n := utf8.RuneCountInString(line); n > limit/4 {
			line = now.tooLong(line, n, limit/4)
			s.lines[i] = line
		}
		s.open = append(s.open, now)
		s.sizes = append(s.sizes, utf8.RuneCountInString(line)+1)
		now = now.after(line)
	}
	s.open = append(s.open, now)
	s.sizes[len(s.sizes)-1]-- // the last line has no line end
	return s
}

// part returns the text from a line on that fits into one part, and the number of the next line.
func (s *splitter) part(from int, head string) (text string, next int) {
	head += s.open[from].reopen()
	size := utf8.RuneCountInString(head)
	next = from
	for next < len(s.lines) {
		if next > from && s.better(next, size) {
			break
		}
		grown := size + s.sizes[next]
		if grown+s.open[next+1].closing() > s.limit && next > from {
			break
		}
		size = grown
		next++
	}
	text = head + strings.Join(s.lines[from:next], "\n")
	if next < len(s.lines) {
		text += "\n"
	}
	return text + s.open[next].close(), next
}

// better reports whether the part should end before a line although the line fits. That is so if a block begins at the line that fits only into the
// next part, and this part is at least half full.
func (s *splitter) better(at, size int) bool {
	if s.open[at].depth() > 0 || s.open[at+1].depth() == 0 || size < s.limit/2 {
		return false
	}
	block := 0
	for i := at; i < len(s.lines); i++ {
		block += s.sizes[i]
		if s.open[i+1].depth() == 0 {
			break
		}
	}
	return size+block > s.limit && block+len(continued) <= s.limit
}

// tail returns the first line of the last part, which is not before from. The rest of the text fits into that part. If possible, no block is open
// at that line.
func (s *splitter) tail(from int) int {
	room := s.limit - len(leftOut) - 40
	fits := func(i, size int) bool {
		return size+utf8.RuneCountInString(s.open[i].reopen())+s.open[len(s.lines)].closing() <= room
	}
	size, any, free := 0, len(s.lines), len(s.lines)
	for i := len(s.lines) - 1; i >= from; i-- {
		if size += s.sizes[i]; size > room {
			break
		}
		if fits(i, size) {
			any = i
			if s.open[i].depth() == 0 {
				free = i
			}
		}
	}
	if any == from || free == len(s.lines) {
		return any
	}
	return free
}

// missing returns a line about the number of objects or lines that are left out.
func (s *splitter) missing(from, to int) string {
	n := 0
	for i := from; i < to; i++ {
		if line := s.lines[i]; s.open[i].fence == "" && (strings.HasPrefix(line, "<details>") || strings.HasPrefix(line, "- ")) {
			n++
		}
	}
	switch n {
	case 0:
		return fmt.Sprintf("%d lines are not shown here", to-from)
	case 1:
		return "1 more object is not shown here"
	}
	return fmt.Sprintf("%d more objects are not shown here", n)
}

// nest contains the code block that is open at a point of a text, and the folds around it.
type nest struct {
	fence string   // the line that opened the code block; "" if there is none
	folds []string // the lines that opened the folds
}

func (n nest) depth() int {
	if n.fence != "" {
		return len(n.folds) + 1
	}
	return len(n.folds)
}

// after returns what is open after a line.
func (n nest) after(line string) nest {
	mark := fenceMark(line)
	switch {
	case n.fence != "":
		opened := fenceMark(n.fence)
		if strings.HasPrefix(mark, opened) && strings.TrimSpace(line) == mark {
			n.fence = ""
		}
	case mark != "":
		n.fence = line
	case strings.HasPrefix(line, "<details>") && !strings.Contains(line, "</details>"):
		n.folds = append(n.folds[:len(n.folds):len(n.folds)], line)
	case line == "</details>" && len(n.folds) > 0:
		n.folds = n.folds[:len(n.folds)-1]
	}
	return n
}

// close returns the text that closes the code block and the folds.
func (n nest) close() string {
	text := ""
	if n.fence != "" {
		text = fenceMark(n.fence) + "\n"
	}
	return text + strings.Repeat("\n</details>\n", len(n.folds))
}

// closing is the length of close in characters, with a line end before it.
func (n nest) closing() int { return utf8.RuneCountInString(n.close()) + 1 }

// reopen returns the text that opens the code block and the folds again.
func (n nest) reopen() string {
	var b strings.Builder
	for _, fold := range n.folds {
		title, ok := strings.CutSuffix(fold, "</summary>")
		if !ok || utf8.RuneCountInString(title) > titleKept {
			title = "<details><summary>"
		}
		b.WriteString(title + " (continued)</summary>\n\n")
	}
	if n.fence != "" {
		b.WriteString(n.fence + "\n")
	}
	return b.String()
}

// tooLong replaces a line that is longer than a part. In a code block, the line is cut. Elsewhere a cut could change the meaning of the line.
func (n nest) tooLong(line string, length, most int) string {
	after := n.after(line)
	switch {
	case n.fence != "" && after.fence != "":
		return printable.Shorten(line, most)
	case n.fence != "":
		return fenceMark(n.fence)
	case after.fence != "":
		return fenceMark(line)
	case after.depth() > n.depth():
		return "<details><summary>too long to be shown</summary>"
	}
	return fmt.Sprintf("(a line of %d characters is not shown)", length)
}

// fenceMark returns the run of backticks that begins or ends a code block at this line, or "" (CommonMark 0.31, 4.5).
func fenceMark(line string) string {
	text := strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(text, "`")
	if run := text[:len(text)-len(rest)]; len(run) >= 3 && len(line)-len(text) <= 3 && !strings.Contains(rest, "`") {
		return run
	}
	return ""
}
