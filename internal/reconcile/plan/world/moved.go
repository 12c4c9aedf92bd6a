package world

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// FormerOwners are the owner texts that d had under its former names.
func (w *World) FormerOwners(d *kind.Desired) []string {
	owners := make([]string, len(d.From))
	for i, key := range d.From {
		owners[i] = kind.OwnerText(w.Stack, key)
	}
	return owners
}
