package review

import (
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// command is a command that a person wrote in a comment.
type command struct {
	verb    string // plan, approve or help; any other text is an unknown command.
	hash    string // for approve, the hash of the plan; for plan, the hash of the commit, or "".
	comment int64
	by      forge.Person
	at      time.Time
	first   bool // the first command of its comment.
	edited  bool // the comment was edited, so none of its commands counts.
	// reactions are the reactions to the comment.
	reactions []forge.Reaction
}

const (
	prefix = "/stackreeve"

	verbPlan    = "plan"
	verbApprove = "approve"
	verbHelp    = "help"
)

const (
	// maxCommands is the maximum number of commands of a comment that count.
	maxCommands = 10
	// maxComment is the maximum length, in bytes, of a comment whose commands count. Parsing Markdown can take more than linear time.
	maxComment = 8_000
)

// mayAsk reports whether a comment may contain commands. The check is cheap.
func mayAsk(c forge.Comment) bool {
	return !c.Bot && !(c.Mine && memory.Marked(c.Body)) && beginsLine(c.Body)
}

// beginsLine reports whether the prefix is the first word of a line. Elsewhere, such as inside a link, it is
// no command.
func beginsLine(body string) bool {
	for line := range strings.SplitSeq(body, "\n") {
		if rest, ok := strings.CutPrefix(line, prefix); ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r")) {
			return true
		}
	}
	return false
}

// commands reads the commands of a comment: the lines of its visible paragraphs that are one command and nothing else. Comments of
// bots, and comments that the agent itself wrote, have no commands. A person whose account the agent uses can still give commands.
func commands(c forge.Comment) (list []command) {
	if !mayAsk(c) {
		return nil
	}
	lines := []string{prefix} // a comment that is too long to parse counts as an unknown command
	if len(c.Body) <= maxComment {
		lines = plainLines(c.Body, prefix)
	}
	for _, line := range lines {
		cmd := parse(line)
		cmd.comment, cmd.by, cmd.at, cmd.reactions = c.ID, forge.Person{ID: c.AuthorID, Login: c.Author}, c.Created, c.Reactions
		cmd.first, cmd.edited = len(list) == 0, c.Edited
		if list = append(list, cmd); len(list) == maxCommands {
			break
		}
	}
	return list
}

// parse reads one line. An unknown command has no verb.
func parse(line string) (cmd command) {
	words := strings.Fields(strings.ToLower(line))
	if !ascii(line) || words[0] != prefix {
		return cmd
	}
	switch {
	case len(words) == 2 && (words[1] == verbPlan || words[1] == verbHelp):
		cmd.verb = words[1]
	case len(words) == 3 && words[1] == verbPlan && commitForm.MatchString(withoutBackquotes(words[2])),
		len(words) == 3 && words[1] == verbApprove && hashForm(withoutBackquotes(words[2])):
		cmd.verb, cmd.hash = words[1], withoutBackquotes(words[2])
	}
	return cmd
}

// ascii reports whether a line has only printable ASCII, so that no character looks like another.
func ascii(line string) bool {
	return strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// withoutBackquotes removes the backquotes around a word. They are there if a person has copied the word as code.
func withoutBackquotes(word string) string {
	if len(word) > 2 && word[0] == '`' && word[len(word)-1] == '`' {
		return word[1 : len(word)-1]
	}
	return word
}

// known reports whether the command can be carried out.
func (c command) known() bool { return c.verb != "" && !c.edited }

var commitForm = pattern.Of(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// hashForm reports whether text looks like the hash of a plan.
func hashForm(text string) bool {
	return len(text) == plan.HashDigits && strings.Trim(text, "0123456789abcdef") == ""
}

// help is the answer to /stackreeve help, and to unknown commands.
const help = `| command | does |
|---|---|
| ` + "`/stackreeve plan`" + ` | plans this pull request again, against the cloud as it is now |
| ` + "`/stackreeve plan COMMIT`" + ` | plans exactly that commit of a fork; copy the line from the comment above |
| ` + "`/stackreeve approve HASH`" + ` | allows exactly the plan with that hash to be carried out after the merge; the hash is in the plan's comment |
| ` + "`/stackreeve help`" + ` | this |

A command must be a line of its own, outside of code, quotations, lists and HTML, in a comment that was not edited. The agent
obeys only people who may push to this repository.
`
