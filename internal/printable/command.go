package printable

// commands recognises texts that CI systems interpret as commands. It gets one character after the other, and
// reports the last character of a command. If that character is escaped, the text is no command.
//
//	::error::…              at the beginning of a line    GitHub, Gitea, Forgejo
//	##[error]…, ##vso[…]    anywhere in a line            GitHub, Azure Pipelines
//	##teamcity[…]           anywhere in a line            TeamCity
//
// Other commands need a control character (GitLab's sections, Jenkins' notes,
// Buildkite's links).
// (actions/runner: src/Runner.Common/ActionCommand.cs, TryParseV2 and TryParse)
type commands struct {
	hashes int  // the number of # at the beginning of the word.
	begun  bool // reports whether the line contains something other than white space.
	colon  bool // reports whether the last character was a colon at the beginning of the line.
}

// completes reports whether r would complete a command that may be anywhere in a line.
func (c *commands) completes(r rune) bool { return r == '[' && c.hashes >= 2 }

// opens reports whether r would complete a command at the beginning of a line.
func (c *commands) opens(r rune) bool { return r == ':' && c.colon }

// next adds the character r.
func (c *commands) next(r rune) {
	switch {
	case r == '#':
		c.hashes++
	case c.hashes >= 2 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
	default:
		c.hashes = 0
	}
	switch r {
	case '\n':
		*c = commands{}
	case ' ', '\t':
		c.colon = false
	default:
		c.colon = r == ':' && !c.begun
		c.begun = true
	}
}
