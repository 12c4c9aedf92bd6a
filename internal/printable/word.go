package printable

import "strings"

// Word returns a text as one word for any POSIX shell, for commands that people copy.
func Word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
