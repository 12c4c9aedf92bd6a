package source

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/merge"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Merge is the content that a branch would have after other commits are merged into it.
type Merge struct {
	// Revision has the Commit of Head and the Files of the merge. Its Tree equals BaseTree if the merge changes nothing
	// in the configured folder. If there are Conflicts, it has no Files and no Tree.
	Revision

	BaseCommit string // the branch's newest commit
	// BaseTree is the tree of the configured folder in BaseCommit. It is empty if there is no such folder. If neither Head nor
	// Under change anything in the folder, it is also the tree of the result.
	BaseTree string
	Head     string // the commit that is merged into the branch
	// Under are the commits that were merged into the branch before Head.
	Under []string
	// MergeBase is the newest commit that the branch and Head have in common, or one of several.
	MergeBase string
	// Conflicts are the files that a person has to merge, by their paths from the repository's root. They are files of
	// the configured folder, and files that were moved into it or out of it. If the conflict is not one of lines, the
	// reason follows the file in brackets.
	Conflicts []string
	// Clean is the number of commits, of Under and Head in this order, that were merged before the one that conflicts.
	Clean int
}

// Merged returns the content of the configured folder after a merge. The commits under are merged into the newest commit
// of the branch, one after the other, and then head. Each of them is a reference such as refs/pull/7/head, or a full
// commit. Nothing is written anywhere. If no commit has changed since the last call, Merged sends one request.
//
// Merged fetches as much history as it needs to find the common commits. It does not ask the forge for them.
//
// The result is that of git (merge-ort with its defaults). Moved files are included, even if they move into the
// configured folder or out of it. Merged reports a conflict if its result may differ from git's:
//   - It is not clear which file was moved to a path.
//   - There is too much to compare.
//   - A .gitattributes sets how to merge a file that both sides changed.
//   - A conflict arose in a merge of several merge bases, after two histories were merged into each other.
//
// So Merged can report a conflict that git does not have, but it never hides one. Merged does not use a merge that the
// server offers, such as refs/pull/N/merge. Files that do not affect the configured folder are left out, even if they
// conflict.
func (r *Repo) Merged(ctx context.Context, head string, under ...string) (m Merge, err error) {
	err = r.inConversation(ctx, func(ctx context.Context, conv *conversation) (err error) {
		m, err = r.merged(ctx, conv, head, under)
		return err
	})
	if err != nil {
		return Merge{}, err
	}
	return m, nil
}

// known has the results of earlier merges. It is cleared when the store is replaced.
type known struct {
	merges map[merging]Merge
	weight int64 // approximate memory of the merges, in bytes
}

// merging is the key of a merge: its commits. under has the commits that are merged before head, as text.
type merging struct {
	base, head plumbing.Hash
	under      string
}

const (
	maxMerges      = 256
	maxMergesBytes = 64 << 20
	conflictBytes  = 128 // approximate memory of one conflict
)

func (k *known) keep(key merging, m Merge) {
	weight := int64(conflictBytes * len(m.Conflicts))
	if files, ok := m.Files.(*store.Files); ok {
		weight += files.Weight()
	}
	if k.merges == nil || len(k.merges) >= maxMerges || k.weight+weight > maxMergesBytes {
		k.merges, k.weight = map[merging]Merge{}, 0
	}
	k.merges[key] = m
	k.weight += weight
}

func (r *Repo) merged(ctx context.Context, conv *conversation, name string, under []string) (Merge, error) {
	_, base, err := findBranch(conv.refs, r.cfg.Branch)
	if err != nil {
		return Merge{}, err
	}
	var heads []plumbing.Hash
	for _, one := range append(slices.Clone(under), name) {
		head, err := resolve(conv.refs, one)
		if err != nil {
			return Merge{}, err
		}
		heads = append(heads, head)
	}
	if err := r.checkIntact(); err != nil {
		return Merge{}, err
	}
	if r.since != r.renewed {
		r.known, r.since = known{}, r.renewed
	}
	last := len(heads) - 1
	key := merging{base, heads[last], fmt.Sprint(heads[:last])}
	m, ok := r.known.merges[key]
	if !ok {
		if m, err = r.merge(ctx, conv, base, heads); err != nil {
			return Merge{}, err
		}
		if r.since != r.renewed {
			r.known, r.since = known{}, r.renewed
		}
		r.known.keep(key, m)
	}
	m.Branch = name
	return m, nil
}

// merge fetches the missing commits, and merges them.
func (r *Repo) merge(ctx context.Context, conv *conversation, onto plumbing.Hash, tips []plumbing.Hash) (Merge, error) {
	if r.cache.Store().Full() {
		r.renew()
	}
	base, err := r.ensureCommit(ctx, conv, onto)
	if err != nil {
		return Merge{}, err
	}
	r.cache.Keep(base.Hash)
	var heads []*object.Commit
	var under []string
	for i, tip := range tips {
		head, err := r.ensureCommit(ctx, conv, tip)
		if err != nil {
			return Merge{}, err
		}
		if heads = append(heads, head); i < len(tips)-1 {
			under = append(under, tip.String())
		}
	}
	head := heads[len(heads)-1]
	result, err := merge.Commits(ctx, r.cache.Store(), mergeHistory{r, conv}, base, heads, rootOf(r.cfg.Path))
	if err != nil {
		return Merge{}, err
	}
	before, err := r.before(result)
	if err != nil {
		return Merge{}, err
	}
	m := Merge{
		BaseCommit: base.Hash.String(), BaseTree: before, Head: head.Hash.String(),
		MergeBase: hashText(result.MergeBase), Conflicts: result.Conflicts, Under: under, Clean: result.Merged,
	}
	switch {
	case len(m.Conflicts) > 0:
		m.Revision = Revision{
			Commit: m.Head, Subject: oneLine(head.Message), Author: oneLine(head.Author.Name),
			Time: validTime(head.Committer.When), Root: rootOf(r.cfg.Path),
		}
		return m, nil
	case result.Folder.IsZero() && r.cfg.Path != ".":
		return Merge{}, failure.NewMissing("after the merge there is no folder %q; keep the folder, or first change source.path", r.cfg.Path)
	}
	folder, err := r.cache.Store().Sparse(result.Folder, r.cfg.Folders, result.Made)
	if err != nil {
		return Merge{}, err
	}
	m.Revision, err = r.describe(ctx, "", head, folder, result.Made)
	return m, err
}

// before returns the tree of the configured folder before the merge, or "" if there was none.
func (r *Repo) before(result merge.Result) (string, error) {
	if result.Before.IsZero() {
		return "", nil
	}
	made := store.Made{Trees: map[plumbing.Hash]*object.Tree{}}
	tree, err := r.cache.Store().Sparse(result.Before, r.cfg.Folders, made)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return hashText(tree), err
}

// hashText returns a hash in hex digits, or "" for the zero hash.
func hashText(h plumbing.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}
