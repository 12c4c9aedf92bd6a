package printable

import "strings"

// Word is a text as one word of any POSIX shell, for commands that people are to copy.
func Word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
