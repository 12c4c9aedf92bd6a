package main

import (
	"cmp"
	"slices"
	"strings"
)

// text is a file with the texts that are inserted into it. No line is added, so that positions stay the same.
type text struct {
	was   string
	edits []edit
}

// edit replaces some characters. If there are several edits at one place, closing ones come before opening ones. Among opening edits
// the outer one is first, among closing edits the inner one.
type edit struct {
	at, length int
	order      int
	with       string
}

// wrap inserts text before and after a range. Outer ranges must be wrapped before inner ones.
func (t *text) wrap(from, to int, before, behind string) {
	n := len(t.edits) + 1
	t.edits = append(t.edits, edit{at: from, order: n, with: before}, edit{at: to, order: -n, with: behind})
}

func (t *text) replace(at, length int, with string) {
	t.edits = append(t.edits, edit{at: at, length: length, order: len(t.edits) + 1, with: with})
}

// now returns the text with all edits applied.
func (t *text) now() string {
	edits := slices.Clone(t.edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(t.was[at:e.at])
		b.WriteString(e.with)
		at = e.at + e.length
	}
	b.WriteString(t.was[at:])
	return b.String()
}
