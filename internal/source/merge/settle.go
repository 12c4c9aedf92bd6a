package merge

import (
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/store"
)

// placeChanges decides about a file that at least one side has removed, and that the other side has
// removed or changed, too.
func (f *follower) placeChanges(from string) error {
	ours, theirs := f.guess[0][from], f.guess[1][from]
	both := f.sides[0].asked[from] && f.sides[1].asked[from]
	switch {
	case ours.Nowhere() && theirs.Nowhere(), !f.concerns(from, ours) && !f.concerns(from, theirs):
		return nil
	case !both:
		return f.carry(from)
	case ours.Sure && theirs.Sure && ours.Places[0] == theirs.Places[0]:
		f.moved[from] = ours.Places[0]
	case ours.Nowhere():
		f.recordDoubt(from, "deleted on one side, %s on the other", whereTo(theirs))
	case theirs.Nowhere():
		f.recordDoubt(from, "%s on one side, deleted on the other", whereTo(ours))
	default:
		f.recordDoubt(from, "%s on one side, %s on the other", whereTo(ours), whereTo(theirs))
	}
	return nil
}

// carry handles a file that one side moved: it moves the file on the other side, too, unless the
// new path exists there.
func (f *follower) carry(from string) error {
	i := 0
	if f.sides[1].asked[from] {
		i = 1
	}
	g := f.guess[i][from]
	if !g.Sure {
		f.recordDoubt(from, "%s on one side, changed on the other", whereTo(g))
		return nil
	}
	to := g.Places[0]
	before, err := f.at(f.roots[0], from)
	if err != nil {
		return err
	}
	other, err := f.at(f.roots[2-i], from)
	if err != nil {
		return err
	}
	if kindOf(before) != kindOf(other) {
		f.recordDoubt(from, "%s on one side, changed to another file type on the other", whereTo(g))
		return nil
	}
	for _, root := range []plumbing.Hash{f.roots[0], f.roots[2-i]} {
		free, err := f.free(root, to)
		if err != nil {
			return err
		}
		if !free {
			f.recordDoubt(from, "moved to %s on one side, but the other side has another file at that place", store.PrintablePath(to))
			return nil
		}
	}
	f.moved[from] = to
	return nil
}
