package pulls

import (
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// command is something that a person asked for in a comment.
type command struct {
	verb    string // plan, approve or help; anything else is not known
	hash    string // of approve
	comment int64
	by      string
	at      time.Time
}

// String is the line that says it, of a bounded length.
func (c command) String() string {
	const most = 100
	words := []string{prefix, c.verb, c.hash}
	for i := range words {
		words[i] = strings.Clone(words[i][:min(len(words[i]), most)])
	}
	return strings.TrimRight(strings.Join(words, " "), " ")
}

const (
	prefix = "/stackreeve"

	verbPlan    = "plan"
	verbApprove = "approve"
	verbHelp    = "help"
)

// mostCommands is how many commands of a comment count.
const mostCommands = 10

// commands reads what people ask for in a comment: lines that begin with
// /stackreeve, outside of code, quotations and what is hidden. Comments that the
// agent has written ask nothing; whoever lent it their account still can.
func commands(c forge.Comment) (list []command) {
	if c.Mine && forge.Marked(c.Body) {
		return nil
	}
	var hidden cover
	for line := range strings.Lines(c.Body) {
		line = strings.TrimRight(line, " \t\r\n")
		if hidden.hides(line) || !strings.HasPrefix(line, prefix) {
			continue
		}
		words := strings.Fields(line)
		if words[0] != prefix {
			continue
		}
		cmd := command{comment: c.ID, by: c.Author, at: c.Created}
		if len(words) > 1 {
			cmd.verb = strings.ToLower(words[1])
		}
		if len(words) > 2 {
			cmd.hash = strings.ToLower(strings.Trim(words[2], "`"))
		}
		if list = append(list, cmd); len(list) == mostCommands {
			break
		}
	}
	return list
}

// cover is what a line of Markdown can be in so that people do not read it as
// something said: a fence, or HTML that shows it as code or not at all.
type cover struct {
	fence string // what it began with
	html  string // what ends it
}

// blocks are the HTML that holds lines as they are, or hides them.
var blocks = [][2]string{{"<!--", "-->"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}, {"<textarea", "</textarea>"}}

// hides tells whether a line is covered, and goes on to the next.
func (c *cover) hides(line string) bool {
	text := strings.TrimLeft(line, " ")
	outer := len(line)-len(text) <= 3
	switch {
	case c.fence != "":
		if outer && len(text) >= len(c.fence) && strings.TrimRight(text, c.fence[:1]) == "" {
			c.fence = ""
		}
		return true
	case c.html != "":
		if strings.Contains(strings.ToLower(text), c.html) {
			c.html = ""
		}
		return true
	case outer:
		c.fence = fenceOf(text)
	}
	if c.fence == "" {
		c.html = openIn(strings.ToLower(text))
	}
	return c.fence != "" || c.html != ""
}

// openIn is what ends the HTML that begins in a line and goes on after it, ""
// when none does.
func openIn(line string) (end string) {
	for _, b := range blocks {
		if i := strings.LastIndex(line, b[0]); i >= 0 && !strings.Contains(line[i:], b[1]) {
			end = b[1]
		}
	}
	return end
}

// fenceOf is the run of backticks or tildes that a fence begins with, "" when
// the line begins none (CommonMark 0.31, 4.5).
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, c)) {
			return text[:n]
		}
	}
	return ""
}

// known tells whether the command is one that can be carried out.
func (c command) known() bool {
	switch c.verb {
	case verbPlan, verbHelp:
		return true
	case verbApprove:
		return hashForm(c.hash)
	}
	return false
}

// hashForm tells whether text looks like the hash of a plan.
func hashForm(text string) bool {
	return len(text) == hashDigits && strings.Trim(text, "0123456789abcdef") == ""
}

// hashDigits is how long a plan's hash is.
const hashDigits = 16

// help is the answer to /stackreeve help, and to what is not known.
const help = `| command | does |
|---|---|
| ` + "`/stackreeve plan`" + ` | plans this pull request again, against the cloud as it is now |
| ` + "`/stackreeve approve HASH`" + ` | lets exactly the plan of that hash through, once it is merged; the hash is in the plan's comment |
| ` + "`/stackreeve help`" + ` | this |

They count from people who may push to this repository.
`
