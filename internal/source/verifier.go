package source

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/merge"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// verifier checks one revision within a conversation.
type verifier struct {
	repo  *Repo
	conv  *conversation
	trust Trust
	now   time.Time
	head  plumbing.Hash
	raw   func(plumbing.Hash) ([]byte, error) // reads the commits that are checked
	// failed is the error of reading one of them. It says nothing about its signature.
	failed error
}

func (v *verifier) verify(ctx context.Context, last string) (Signed, error) {
	if err := v.repo.checkIntact(); err != nil {
		return Signed{}, err
	}
	if _, err := v.repo.ensureCommit(ctx, v.conv, v.head); err != nil {
		return Signed{}, err
	}
	v.raw = v.stored
	r, err := v.since(ctx, last)
	switch {
	case err != nil:
		return Signed{}, err
	case v.trust.Mode == ByRange:
		return v.byRange(ctx, r, last)
	case v.trust.Mode == ByTag:
		return v.byTag(ctx)
	}
	o, doubt := v.person(v.head)
	if doubt != nil {
		return Signed{}, v.refuse(*doubt)
	}
	return Signed{By: o.signer}, nil
}

// since returns the commits that follow the trusted ones: the last verified one, and the one that the configuration trusts. It returns
// nil if none of them is known, or if head is one of them. The error is an [*Unverified] if head descends from only one of them. With
// [Trust.Rewrites], a last verified commit counts as unknown if head does not descend from it.
func (v *verifier) since(ctx context.Context, last string) (*merge.Range, error) {
	var bases []plumbing.Hash
	for _, base := range []string{last, v.trust.Since} {
		if base != "" && base != v.head.String() {
			bases = append(bases, plumbing.NewHash(base))
		}
	}
	if len(bases) == 0 || v.trust.Rewrites && v.trust.Mode != ByRange {
		return nil, nil
	}
	r, err := v.between(ctx, bases)
	if err != nil {
		return nil, err
	}
	for _, base := range bases {
		if !r.Found[base] && (base.String() == v.trust.Since || !v.trust.Rewrites) {
			return nil, v.refuse(Doubt{Why: Rewritten, Commit: base.String()})
		}
	}
	switch {
	case r.Many && v.trust.Mode == ByRange && len(r.Found) > 0:
		return nil, v.refuse(Doubt{Why: ManyCommits, Commit: bases[len(bases)-1].String(), Detail: fmt.Sprint(maxSigned)})
	case len(r.Found) == 0, last == v.head.String(), v.trust.Since == v.head.String():
		return nil, nil
	}
	return &r, nil
}

func (v *verifier) stored(h plumbing.Hash) ([]byte, error) {
	_, text, err := v.repo.cache.Store().Raw(h)
	return text, err
}

func (v *verifier) refuse(doubts ...Doubt) error {
	most := min(len(doubts), maxDoubts)
	return &Unverified{Commit: v.head.String(), Doubts: doubts[:most], More: len(doubts) - most}
}

// signedObject is a commit and its signer.
type signedObject struct {
	signature.Object
	signer signature.Signer
}

// person returns a commit that a person signed.
func (v *verifier) person(h plumbing.Hash) (signedObject, *Doubt) { return v.signedBy(h, v.trust.Keys) }

func (v *verifier) signedBy(h plumbing.Hash, keys signature.Keys) (o signedObject, d *Doubt) {
	text, err := v.raw(h)
	if err != nil {
		v.failed = err
		return o, &Doubt{Why: BadSignature, Commit: h.String(), Fault: &signature.Fault{Code: signature.Malformed}}
	}
	if o.Object, err = signature.ParseCommit(text); err == nil {
		o.signer, err = keys.Signer(o.Object, v.now)
	}
	if err == nil {
		return o, nil
	}
	f := &signature.Fault{Code: signature.Malformed}
	_ = errors.As(err, &f) // both functions return only faults
	return o, &Doubt{Why: BadSignature, Commit: h.String(), Fault: f}
}

// byRange checks the commits of a range. Without a range, it checks only head, and a person must have signed it: a merge by the forge says
// nothing of the commits before it. If head is the last verified commit, it may be a merge by the forge, and the merged commits are checked.
func (v *verifier) byRange(ctx context.Context, r *merge.Range, last string) (Signed, error) {
	if v.head.String() == v.trust.Since {
		return Signed{Since: true}, nil
	}
	list := []plumbing.Hash{v.head}
	switch head, doubt := v.person(v.head); {
	case r != nil:
		list = r.Commits
	case doubt != nil && v.head.String() != last:
		if _, other := v.signedBy(v.head, v.trust.Forge); other == nil {
			return Signed{}, v.refuse(Doubt{Why: ForgeAlone, Commit: v.head.String()})
		}
	case doubt != nil && len(head.Parents) > 1:
		merged, err := v.between(ctx, []plumbing.Hash{plumbing.NewHash(head.Parents[0])})
		if err != nil {
			return Signed{}, err
		}
		list = merged.Commits
		if merged.Many {
			return Signed{}, v.refuse(Doubt{Why: ManyCommits, Commit: head.Parents[0], Detail: fmt.Sprint(maxSigned)})
		}
	}
	j := judgement{v: v, people: map[string]bool{}}
	for _, h := range list {
		if err := j.add(ctx, h); err != nil {
			return Signed{}, err
		}
	}
	if len(j.doubts) > 0 {
		return Signed{}, v.refuse(j.doubts...)
	}
	signed := Signed{By: j.head}
	if j.byForge {
		signed.Merged = slices.Sorted(maps.Keys(j.people))
	}
	return signed, nil
}

// between fetches the commits that head has and bases lack.
func (v *verifier) between(ctx context.Context, bases []plumbing.Hash) (merge.Range, error) {
	trusted := v.trust.Keys.With(v.trust.Forge)
	signed := func(r merge.Range) bool {
		v.raw = r.Raw
		return v.trust.Mode != ByRange || !slices.ContainsFunc(r.Commits, func(h plumbing.Hash) bool {
			_, doubt := v.signedBy(h, trusted)
			return doubt != nil
		})
	}
	r, err := merge.Between(ctx, v.repo.cache.Store(), v.history(), bases, v.head, maxSigned, signed)
	v.raw = r.Raw
	return r, err
}

// headHistory fetches history from the head of a branch. Some servers send no other commit.
type headHistory struct {
	mergeHistory
	head plumbing.Hash
}

func (v *verifier) history() headHistory { return headHistory{mergeHistory{v.repo, v.conv}, v.head} }

// FetchHistory implements merge.History.
func (h headHistory) FetchHistory(ctx context.Context, commits []plumbing.Hash, generations int, bare bool, to *store.Store) error {
	if !bare {
		commits = []plumbing.Hash{h.head}
	}
	err := h.mergeHistory.FetchHistory(ctx, commits, generations, bare, to)
	if errors.Is(err, errNoPack) {
		return nil
	}
	return err
}
