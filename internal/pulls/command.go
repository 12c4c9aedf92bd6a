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

const (
	prefix = "/stackreeve"

	verbPlan    = "plan"
	verbApprove = "approve"
	verbHelp    = "help"
)

// commands reads what people ask for in a comment: lines that begin with
// /stackreeve, outside of code and quotations. Comments of ours ask nothing.
func commands(c forge.Comment) (list []command) {
	if c.Mine {
		return nil
	}
	fence := ""
	for line := range strings.Lines(c.Body) {
		line = strings.TrimRight(line, " \t\r\n")
		if mark := fenceOf(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			continue
		}
		words := strings.Fields(line)
		if fence != "" || len(words) == 0 || words[0] != prefix || line[0] != '/' {
			continue
		}
		cmd := command{comment: c.ID, by: c.Author, at: c.Created}
		if len(words) > 1 {
			cmd.verb = strings.ToLower(words[1])
		}
		if len(words) > 2 {
			cmd.hash = strings.ToLower(strings.Trim(words[2], "`"))
		}
		list = append(list, cmd)
	}
	return list
}

// fenceOf is the run of backticks or tildes that a fence begins with, "" when
// the line is none (CommonMark 0.31, 4.5).
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(text, c); len(text)-len(rest) >= 3 {
			return text[:len(text)-len(rest)]
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
