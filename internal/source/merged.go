package source

import (
	"context"
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
	// Revision has the Commit of head and the Files of the merge. Its Tree equals BaseTree when
	// head changes nothing in the configured folder. With Conflicts it has no Files and no Tree.
	Revision

	Base string // the branch's newest commit
	// BaseTree is the tree of the configured folder in Base. It is the tree of the result when head
	// changes nothing in the folder. It is empty when Base has no such folder.
	BaseTree string
	Head     string // the commit that is merged into the branch
	// Under are the commits that were merged into the branch before Head. BaseTree is then the tree of their merge.
	Under []string
	// MergeBase is the newest commit that both have in common, or one of several.
	MergeBase string
	// Conflicts are the files that a person has to merge, by their paths from the repository's
	// root. They are files of the configured folder, and files that moved into it or out of it.
	// Where something else than lines conflicts, the reason follows in brackets.
	Conflicts []string
}

// Merged returns the content of the configured folder after a merge of head into the newest commit
// of the branch, after those under it. Each is a reference such as refs/pull/7/head or a full commit. Nothing is written
// anywhere, and an unchanged pair costs one request.
//
// Merged fetches as much history as it needs to find the common commits. It does not ask the forge
// for them.
//
// The result is the one of git (merge-ort with its defaults). Moved files are included, also those
// that come into the configured folder or leave it. Merged reports a conflict where its result may
// differ from git's:
//   - a moved file may be one of several;
//   - there is too much to compare;
//   - a .gitattributes says how to merge a file that both sides changed;
//   - a conflict arose inside a merge of several merge bases, after two histories were merged into
//     each other.
//
// Such a rule can add a conflict that git does not have, and it never hides one. Merged does not
// use a merge that the server offers, such as refs/pull/N/merge. Files that do not affect the
// configured folder are left out, even if they conflict.
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

// known holds the results of earlier merges. It is dropped with the store.
type known struct {
	merges map[merging]Merge
	weight int64 // approximate memory of the merges, in bytes
}

// merging are the commits of a merge; under are those that come before the head, as text.
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

// merge fetches the missing commits, and merges.
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
	m := Merge{
		Base: base.Hash.String(), BaseTree: hashText(result.Before), Head: head.Hash.String(),
		MergeBase: hashText(result.MergeBase), Conflicts: result.Conflicts, Under: under,
	}
	switch {
	case len(m.Conflicts) > 0:
		m.Revision = Revision{
			Commit: m.Head, Subject: oneLine(head.Message), Author: oneLine(head.Author.Name),
			Time: sane(head.Committer.When), Root: rootOf(r.cfg.Path),
		}
		return m, nil
	case result.Folder.IsZero() && r.cfg.Path != ".":
		return Merge{}, failure.NewMissing("after the merge there is no folder %q; keep it, or change source.path first", r.cfg.Path)
	}
	m.Revision, err = r.describe(ctx, "", head, result.Folder, result.Made)
	return m, err
}

// hashText is a hash in hex digits, or "" for the zero hash.
func hashText(h plumbing.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}
