package printable

// commands recognises what CI systems take for a command, character by
// character, when its last one comes; with that one escaped it is none.
//
//	::error::…              at the beginning of a line    GitHub, Gitea, Forgejo
//	##[error]…, ##vso[…]    anywhere in a line            GitHub, Azure Pipelines
//	##teamcity[…]           likewise                      TeamCity
//
// Other commands need a control character (GitLab's sections, Jenkins' notes,
// Buildkite's links).
// (actions/runner: src/Runner.Common/ActionCommand.cs, TryParseV2 and TryParse)
type commands struct {
	hashes int  // how many # the word began with
	begun  bool // the line has begun with something else than space
	colon  bool // it begins with a colon, which was the last character
}

// completes reports whether r, anywhere in a line, would complete a command.
func (c *commands) completes(r rune) bool { return r == '[' && c.hashes >= 2 }

// opens reports whether r would complete a command that begins its line.
func (c *commands) opens(r rune) bool { return r == ':' && c.colon }

// next takes note of r.
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
