package source

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"
)

// Pinned returns the revision of a full commit, and makes it the result of Last. A commit never changes. So once it is in the store, no
// request is sent.
func (r *Repo) Pinned(ctx context.Context, commit string) (Revision, error) {
	want := plumbing.NewHash(commit)
	if rev, ok := r.unchanged(commit, want); ok {
		return rev, nil
	}
	rev, ok := r.inStore(ctx, want)
	if !ok {
		var err error
		if rev, err = r.At(ctx, commit); err != nil {
			return Revision{}, err
		}
	}
	r.lastMu.Lock()
	defer r.lastMu.Unlock()
	r.last = &rev
	return rev, nil
}

// Tags returns the commit of each tag. It sends one request, and fetches no commits.
func (r *Repo) Tags(ctx context.Context) (tags map[string]string, err error) {
	err = r.inConversation(ctx, func(_ context.Context, conv *conversation) error {
		tags = map[string]string{}
		for _, name := range withPrefix(conv.refs, tagPrefix) {
			at, annotated := conv.refs.Peeled[tagPrefix+name]
			if !annotated {
				at = conv.refs.References[tagPrefix+name]
			}
			tags[name] = at.String()
		}
		return nil
	})
	return tags, err
}

// inStore returns the revision of a commit if the commit is in the store.
func (r *Repo) inStore(ctx context.Context, want plumbing.Hash) (rev Revision, ok bool) {
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-ctx.Done():
		return rev, false
	}
	r.cache.Open(ctx)
	if r.checkIntact() != nil {
		return rev, false
	}
	commit, err := r.localCommit(ctx, want)
	if err != nil {
		return rev, false
	}
	rev, err = r.revision(ctx, want.String(), commit)
	return rev, err == nil
}
