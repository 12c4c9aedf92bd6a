package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Markdown writes a plan for a comment on a forge: the sum as a heading, the
// rest folded and fenced. Nothing that a manifest holds can leave the fence.
func Markdown(w io.Writer, p reconcile.Plan, rev source.Revision, approve string) {
	var body strings.Builder
	Text{W: &body, Approve: approve}.Plan(p, source.Revision{})
	title := "Stack `" + p.Stack + "`"
	if rev.Commit != "" {
		title += " at `" + Short(rev.Commit) + "`"
	}
	fmt.Fprintf(w, "### %s\n\n", title)
	fmt.Fprintf(w, "%s\n\n", sum(p))
	if p.Held != "" {
		fmt.Fprintf(w, "**Held**: %s. The plan's hash is `%s`.\n\n", escape(p.Held), p.Hash())
	}
	if p.InSync() {
		return
	}
	text := strings.TrimSpace(body.String())
	mark := fence(text)
	fmt.Fprintf(w, "<details><summary>Plan</summary>\n\n%stext\n%s\n%s\n\n</details>\n", mark, text, mark)
}

// fence is a run of backticks longer than any in text, so that text cannot
// close it (CommonMark 0.31, 4.5).
func fence(text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// escape makes text mean nothing but itself in Markdown.
func escape(text string) string {
	var b strings.Builder
	for _, r := range Clean(text) {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|~@&", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
