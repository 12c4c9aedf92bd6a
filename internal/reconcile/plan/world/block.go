package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Loosely reports whether all that an object uses of another one the cloud takes off
// when that is deleted.
func Loosely(l, other *kind.Live) bool {
	return slices.Contains(l.AutoDetached, other.ID) && !slices.ContainsFunc(other.Tokens, func(token string) bool { return slices.Contains(l.Uses, token) })
}
