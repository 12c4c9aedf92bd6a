package merge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/merge/moves"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

const maxConflicts = 1000 // number of files that are named

// recordConflict records a file that a person has to merge. It returns an entry for the file that
// differs from every other entry.
func (m *merger) recordConflict(path string) object.TreeEntry {
	if m.unsettled == 0 && len(m.conflicts) < maxConflicts {
		m.conflicts = append(m.conflicts, store.PrintablePath(path))
	}
	h := plumbing.ComputeHash(plumbing.BlobObject, []byte("conflict "+strconv.Itoa(len(m.conflictHashes))+" in "+path))
	m.conflictHashes[h] = true
	return object.TreeEntry{Mode: filemode.Regular, Hash: h}
}

// recordDoubt records a file that a person has to merge, with the reason. This is also done in
// merges of merge bases, because it is unknown what git does in them.
func (m *merger) recordDoubt(path, why string, args ...any) {
	if len(m.conflicts) < maxConflicts {
		m.conflicts = append(m.conflicts, store.PrintablePath(path)+" ("+fmt.Sprintf(why, args...)+")")
	}
}

// whereTo says, in words, where a file was moved, as far as that is known.
func whereTo(g moves.Guess) string {
	switch {
	case g.Sure:
		return "moved to " + store.PrintablePath(g.Places[0])
	case len(g.Places) == 1:
		return "perhaps moved to " + store.PrintablePath(g.Places[0])
	case len(g.Places) > 1:
		return fmt.Sprintf("perhaps moved to %s or %d others", store.PrintablePath(g.Places[0]), len(g.Places)-1)
	}
	return "perhaps moved; there are too many differences to compare"
}

// conflictedFiles returns the files that conflict, sorted and each once. A reason follows the file
// if there is one.
func (m *merger) conflictedFiles() []string {
	sorted := slices.Sorted(slices.Values(m.conflicts))
	var list []string
	for i, file := range sorted {
		explained := i+1 < len(sorted) && strings.HasPrefix(sorted[i+1], file+" (")
		if !explained {
			list = append(list, file)
		}
	}
	return slices.Compact(list)
}
