package source

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/merge"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Merge is what a branch would contain once other commits are merged into it.
type Merge struct {
	// Revision has head's Commit, and the Files of both. Its Tree is that of the
	// branch when head changes nothing of the configured folder. With Conflicts
	// there are no Files and no Tree.
	Revision

	Base string // the branch's newest commit
	// BaseTree is the tree of the configured folder there: that of the result when
	// head changes nothing of it. It is empty while there is no such folder.
	BaseTree string
	Head     string // the commit that was merged into it
	// MergeBase is the newest commit that both share, or one of them.
	MergeBase string
	// Conflicts are the files that a person has to merge, named from the repository's
	// root: those of the configured folder, and those that moved into it or out of
	// it. Where it is not the lines that conflict, the reason follows in brackets.
	Conflicts []string
}

// Merged returns what the configured folder would contain if head were merged
// into the newest commit of the branch: a reference such as refs/pull/7/head
// or a full commit. Nothing is written anywhere, and an unchanged pair costs
// one request.
//
// As much history is fetched as is needed to find what both share; what a forge
// says of that is not used.
//
// The result is git's (merge-ort with its defaults), files that were moved
// included, also those that come into the configured folder or leave it. Where it
// is not sure to be git's there is a conflict: where a moved file may be one of
// several, where there is too much to compare, where a .gitattributes says how to
// merge a file that both sides changed, and in what conflicted when two histories
// were merged into each other crosswise. Each can make a conflict where git sees
// none, and none can hide one. A merge that the server offers, such as
// refs/pull/N/merge, is not used. What has nothing to do with the configured folder
// is left out and can conflict all the same.
func (r *Repo) Merged(ctx context.Context, head string) (m Merge, err error) {
	err = r.inConversation(ctx, func(ctx context.Context, conv *conversation) (err error) {
		m, err = r.merged(ctx, conv, head)
		return err
	})
	if err != nil {
		return Merge{}, err
	}
	return m, nil
}

// known is what an earlier merge found out. It goes with the store.
type known struct {
	merges map[merging]Merge
	weight int64 // about how many bytes of memory they take
}

type merging struct{ base, head plumbing.Hash }

const (
	maxMerges      = 256
	maxMergesBytes = 64 << 20
	conflictBytes  = 128 // of memory for one conflict, about
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

func (r *Repo) merged(ctx context.Context, conv *conversation, name string) (Merge, error) {
	_, base, err := findBranch(conv.refs, r.cfg.Branch)
	if err != nil {
		return Merge{}, err
	}
	head, err := resolve(conv.refs, name)
	if err != nil {
		return Merge{}, err
	}
	if err := r.checkIntact(); err != nil {
		return Merge{}, err
	}
	if r.since != r.renewed {
		r.known, r.since = known{}, r.renewed
	}
	key := merging{base, head}
	m, ok := r.known.merges[key]
	if !ok {
		if m, err = r.merge(ctx, conv, key); err != nil {
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

// merge fetches what is missing, and merges.
func (r *Repo) merge(ctx context.Context, conv *conversation, key merging) (Merge, error) {
	if r.cache.Store().Full() {
		r.renew()
	}
	base, err := r.ensureCommit(ctx, conv, key.base)
	if err != nil {
		return Merge{}, err
	}
	r.cache.Keep(base.Hash)
	head, err := r.ensureCommit(ctx, conv, key.head)
	if err != nil {
		return Merge{}, err
	}
	result, err := merge.Commits(ctx, r.cache.Store(), mergeHistory{r, conv}, base, head, rootOf(r.cfg.Path))
	if err != nil {
		return Merge{}, err
	}
	m := Merge{
		Base: base.Hash.String(), BaseTree: hashText(result.Before), Head: head.Hash.String(),
		MergeBase: hashText(result.MergeBase), Conflicts: result.Conflicts,
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

// hashText is a hash in digits, or nothing.
func hashText(h plumbing.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}
