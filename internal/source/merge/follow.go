package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/merge/moves"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// roots are the root folders of the repository: of the common ancestor, of our side and of their
// side.
type roots [3]plumbing.Hash

// follower finds the files that either side has moved. It moves them in the common ancestor and on
// the other side, too, so that the edits of both sides are merged at one path.
//
//	one side moved a file, the other changed it               the change is applied at the new path
//	both sides moved a file to the same path                  the changes of both are merged there
//	one side moved a file, the other deleted or moved it      the file conflicts
//	one side moved a folder, the other added a file to it     the file conflicts, as in git by default
//	one of these cases is possible, but not sure              the file conflicts
//
// Files that do not affect the configured folder are not moved.
type follower struct {
	*merger
	scope  string // the configured folder; empty means the whole repository
	roots  roots
	sides  [2]side
	guess  [2]map[string]moves.Guess
	moved  map[string]string // the new path of each file whose move is sure, by its old path
	steps  int
	budget moves.Budget
}

// side has the files that one side added or removed. A file with changed lines is not one of them.
type side struct {
	removed, added []moves.File
	asked          map[string]bool // the removed files that the other side has changed or removed, too
	// addedToRemovedFolders are the files that the other side added to folders that this side has removed. The
	// key is the highest removed folder.
	addedToRemovedFolders map[string][]string
}

// These limits apply to the comparisons that find moved files. git's own limit is 49,000,000 pairs.
// If our limit is reached, no move is sure.
const (
	maxMovePairs = 2_000_000
	maxMoveBytes = 64 << 20
	maxMoveSteps = 200_000_000
)

// followMoves returns the roots with each moved file at its new path. It also sets the merger's
// attributes of these roots, and the earlier paths of moved files.
func (m *merger) followMoves(r roots, scope string) (roots, error) {
	m.attributes = m.attributesOf(r)
	f := &follower{
		merger: m, scope: scope, roots: r, moved: map[string]string{},
		budget: moves.Budget{Pairs: maxMovePairs, Bytes: maxMoveBytes, Steps: maxMoveSteps},
	}
	for i := range f.sides {
		f.sides[i] = side{asked: map[string]bool{}, addedToRemovedFolders: map[string][]string{}}
	}
	if err := f.walk("", r, [2]string{}); err != nil {
		return r, err
	}
	for i := range f.sides {
		if err := f.guessMoves(i); err != nil {
			return r, err
		}
	}
	for i := range f.sides {
		f.doubtFilesOfMovedFolders(i)
	}
	asked := maps.Clone(f.sides[0].asked)
	maps.Copy(asked, f.sides[1].asked)
	for _, from := range slices.Sorted(maps.Keys(asked)) {
		if err := f.placeChanges(from); err != nil {
			return r, err
		}
	}
	return f.moveAll()
}

// guessMoves guesses the new paths of the files that side i has removed and that affect the result.
func (f *follower) guessMoves(i int) (err error) {
	s := &f.sides[i]
	if len(s.added) == 0 {
		return nil
	}
	ask := map[string]bool{}
	near := func(file moves.File) bool { return f.near(file.Path) }
	all := f.scope == "" || slices.ContainsFunc(f.sides[0].added, near) || slices.ContainsFunc(f.sides[1].added, near)
	for _, file := range s.removed {
		if folder, ok := s.lost(file.Path); s.asked[file.Path] && (all || within(file.Path, f.scope)) || ok && (all || within(folder, f.scope) || within(f.scope, folder)) {
			ask[file.Path] = true
		}
	}
	if len(ask) == 0 {
		return nil
	}
	if f.guess[i], err = moves.Find(s.removed, s.added, ask, f, &f.budget); err != nil {
		return err
	}
	if slices.ContainsFunc(s.removed, func(file moves.File) bool { return f.conflictHashes[file.Hash] }) {
		for from, g := range f.guess[i] {
			g.Sure = false
			f.guess[i][from] = g
		}
	}
	return nil
}

// lost returns the folder above a path that a side has removed, and to which the other side added a
// file.
func (s *side) lost(path string) (folder string, ok bool) {
	for i := range len(path) {
		if path[i] == '/' && s.addedToRemovedFolders[path[:i]] != nil {
			return path[:i], true
		}
	}
	return "", false
}

// near reports whether a place is in the configured folder, or directly in a folder above it. If
// that folder is moved, too, the place may get into the configured folder.
func (f *follower) near(place string) bool {
	return within(place, f.scope) || within(f.scope, parent(place))
}

// within reports whether a path is in a folder, or is the folder. "" is the whole repository.
func within(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

// concerns reports whether a move of the file from may change the configured folder. g has the
// possible new paths of the file.
func (f *follower) concerns(from string, g moves.Guess) bool {
	return g.Unknown || within(from, f.scope) || slices.ContainsFunc(g.Places, func(p string) bool { return within(p, f.scope) })
}

// doubtFilesOfMovedFolders records a conflict for each file in a folder that the other side may
// have moved. git moves such a file together with the folder, and asks whether that is intended.
func (f *follower) doubtFilesOfMovedFolders(i int) {
	if f.unsettled > 0 {
		return // in a merge of merge bases, git does not move such files
	}
	s := &f.sides[i]
	moved := map[string]bool{} // by folder: whether its move can bring a file into the configured folder
	for from, g := range f.guess[i] {
		if folder, ok := s.lost(from); ok && !g.Nowhere() {
			moved[folder] = moved[folder] || f.concerns(from, g) || slices.ContainsFunc(g.Places, f.near)
		}
	}
	for folder, near := range moved {
		for _, file := range s.addedToRemovedFolders[folder] {
			if near || within(file, f.scope) {
				f.recordDoubt(file, "added to the folder %s, which the other side seems to have moved", store.PrintablePath(folder))
			}
		}
	}
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)]
}

// Size implements moves.Reader.
func (f *follower) Size(file moves.File) (int64, bool, error) {
	if text, ok := f.made.Files[file.Hash]; ok {
		return int64(len(text)), true, nil
	}
	if f.conflictHashes[file.Hash] {
		return 0, false, nil
	}
	size, err := f.store.Size(file.Hash)
	return size, err == nil && size <= maxMergedBytes, err
}

// Text implements moves.Reader.
func (f *follower) Text(file moves.File) ([]byte, bool, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, false, err
	}
	if text, ok := f.made.Files[file.Hash]; ok {
		return text, true, nil
	}
	text, err := f.store.Blob(file.Hash)
	return text, err == nil, err
}

var _ moves.Reader = (*follower)(nil)

// moveAll returns the roots with moved files at their new paths.
func (f *follower) moveAll() (roots, error) {
	f.from = map[string]string{}
	if len(f.moved) == 0 {
		return f.roots, nil
	}
	for from, to := range f.moved {
		f.from[to] = from
	}
	moved := f.roots
	for i, root := range f.roots {
		var changes edits
		for from, to := range f.moved {
			e, err := f.at(root, from)
			if err != nil {
				return f.roots, err
			}
			if e = leaf(e); e.Hash.IsZero() {
				continue
			}
			changes.set(from, object.TreeEntry{})
			changes.set(to, e)
		}
		var err error
		if moved[i], err = f.edit(root, &changes); err != nil {
			return f.roots, err
		}
	}
	return moved, nil
}
