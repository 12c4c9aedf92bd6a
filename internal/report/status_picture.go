package report

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Picture is a text on a terminal that the next one replaces. Its zero value is ready to use.
type Picture struct{ lines int }

var escapes = pattern.Of(`\x1b\[[0-9]*[mAJ]`)

// Next returns the output that replaces the last text by this one. The output is cut to the size of the screen. text must be safe to print, except
// for the colors that Stackreeve adds.
func (p *Picture) Next(text string, width, height int) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if last := len(lines) - 1; last >= 0 {
		lines[last] += "\n"
	}
	var b strings.Builder
	if p.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", min(p.lines, 999))
	}
	p.lines = 0
	for i, line := range lines {
		need := rowsOf(line, width)
		if left := len(lines) - i; height > 2 && p.lines+need > height-2 && left > 1 {
			fmt.Fprintf(&b, "… and %d more lines\n", left)
			p.lines++
			break
		}
		b.WriteString(line)
		p.lines += need
	}
	return b.String()
}

// rowsOf returns the number of rows that a line occupies on the screen.
func rowsOf(line string, width int) int {
	columns := printable.Width(strings.TrimSuffix(escapes.ReplaceAllString(line, ""), "\n"))
	if width <= 0 || columns == 0 {
		return 1
	}
	return (columns + width - 1) / width
}
