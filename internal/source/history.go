package source

import (
	"context"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// Bounds on how much history is fetched to find what two commits share. Each
// round asks for more generations; the last one for all there are.
const (
	maxBareBytes  = 64 << 20  // commits alone: about half a million of them
	maxWholeBytes = 256 << 20 // commits with their files, from a server that sends nothing less
)

// ancestry is a part of a repository's history: the parents of each commit
// that is known. A parent that is not a key is where knowledge ends.
type ancestry map[plumbing.Hash][]plumbing.Hash

const (
	maxLinks  = 4_000_000  // from commits to their parents
	maxVisits = 50_000_000 // of commits, in one merge
)

// visits bounds how often commits are looked at.
type visits struct {
	ctx  context.Context
	left int
}

func (v *visits) count(n int) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	if v.left -= n; v.left < 0 {
		return fail(ErrContent, "the two histories are too long and too entangled to tell where they part; merge the branch into this one first")
	}
	return nil
}

// learn adds what stores hold of the history of commits.
func (a ancestry) learn(ctx context.Context, from []plumbing.Hash, stores ...*store) error {
	from = slices.Clone(from)
	links := 0
	for len(from) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := from[len(from)-1]
		from = from[:len(from)-1]
		if _, ok := a[h]; ok {
			continue
		}
		for _, s := range stores {
			if c, err := s.commit(h); err == nil {
				a[h] = c.ParentHashes
				if links += len(c.ParentHashes); links > maxLinks {
					return fail(ErrContent, "the history has more than %d links from commits to their parents; at most that many are accepted", maxLinks)
				}
				from = append(from, c.ParentHashes...)
				break
			}
		}
	}
	return nil
}

// reach is everything that commits lead to, themselves included.
func (a ancestry) reach(v *visits, from ...plumbing.Hash) (map[plumbing.Hash]bool, error) {
	seen := map[plumbing.Hash]bool{}
	from = slices.Clone(from)
	for len(from) > 0 {
		h := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[h] {
			if err := v.count(1 + len(a[h])); err != nil {
				return nil, err
			}
			seen[h] = true
			from = append(from, a[h]...)
		}
	}
	return seen, nil
}

// shared finds the newest commits that two sets of commits share. It is sure
// of them when what it does not know is older than what it found.
func (a ancestry) shared(v *visits, left, right []plumbing.Hash) (best []plumbing.Hash, sure bool, err error) {
	both, err := a.reach(v, left...)
	if err != nil {
		return nil, false, err
	}
	other, err := a.reach(v, right...)
	if err != nil {
		return nil, false, err
	}
	sure, ends := true, 0
	for h := range other {
		if !both[h] {
			sure = sure && a.knows(h)
		}
	}
	var parents []plumbing.Hash
	for h := range both {
		switch {
		case !other[h]:
			sure = sure && a.knows(h)
			delete(both, h)
		case a.knows(h):
			parents = append(parents, a[h]...)
		default:
			ends++
		}
	}
	older, err := a.reach(v, parents...)
	if err != nil {
		return nil, false, err
	}
	for h := range both {
		if !older[h] {
			best = append(best, h)
		}
	}
	slices.SortFunc(best, func(x, y plumbing.Hash) int { return slices.Compare(x[:], y[:]) })
	// What looks like two could be one that leads to the other.
	return best, sure && (len(best) < 2 || ends == 0), nil
}

func (a ancestry) knows(h plumbing.Hash) bool { _, ok := a[h]; return ok }

// meet finds the newest commits that base and head share, fetching history
// until it is sure of them. bare is for servers that send commits without
// their files; otherwise everything that it finds is in the store afterwards.
func (r *Repo) meet(ctx context.Context, t *talk, base, head plumbing.Hash, bare bool, v *visits) ([]plumbing.Hash, ancestry, error) {
	ends := []plumbing.Hash{base, head}
	q := query{want: ends, have: ends, limit: maxWholeBytes}
	depths := []int{16, 256, 4096, allHistory}
	if bare {
		q = query{want: ends, bare: true, limit: maxBareBytes}
		depths = []int{256, 8192, allHistory}
	}
	if !t.can(capability.Shallow) {
		depths = []int{allHistory}
	}
	var found ancestry
	var best []plumbing.Hash
	for _, q.depth = range depths {
		to := r.store
		if bare {
			to = newStore("")
		}
		if err := t.pack(ctx, q, to); err != nil {
			return nil, nil, r.fetchError(ctx, head, err)
		}
		found = ancestry{}
		if err := found.learn(ctx, ends, to, r.store); err != nil {
			return nil, nil, err
		}
		var sure bool
		var err error
		if best, sure, err = found.shared(v, ends[:1], ends[1:]); err != nil {
			return nil, nil, err
		}
		if sure && len(best) > 0 {
			return best, found, nil
		}
	}
	if found.cut() {
		return nil, nil, fail(ErrContent, "it cannot be told where %s and %s part: the history of the repository is cut off there; fetch all of it, with `git fetch --unshallow`", base, head)
	}
	return nil, nil, fail(ErrContent, "the commits %s and %s share no history; begin the branch again from the one that it shall be merged into", base, head)
}

// cut says whether there are parents that nobody has.
func (a ancestry) cut() bool {
	for _, parents := range a {
		if slices.ContainsFunc(parents, func(h plumbing.Hash) bool { return !a.knows(h) }) {
			return true
		}
	}
	return false
}
