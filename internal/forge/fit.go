package forge

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MaxComment is the maximal length of a comment in characters (GitHub's limit).
const MaxComment = 65_536

// MaxContext is the maximal length of a status's context in characters (GitHub's limit).
const MaxContext = 255

// FitContext changes a context so that every forge accepts it. Two different contexts remain
// different.
func FitContext(name string) string {
	fit := strings.Map(func(r rune) rune {
		if r > 0xffff || r < ' ' {
			return '\ufffd'
		}
		return r
	}, name)
	if r := []rune(fit); fit != name || len(r) > MaxContext {
		sum := sha256.Sum256([]byte(name))
		end := " " + hex.EncodeToString(sum[:6])
		return string(r[:min(len(r), MaxContext-len(end))]) + end
	}
	return name
}
