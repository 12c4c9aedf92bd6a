package source

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// tagSum returns a text that changes with the tags that count; "" if tags do not matter.
func (r *Repo) tagSum(ctx context.Context, t Trust) string {
	if t.Mode != ByTag {
		return ""
	}
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-ctx.Done():
		return ""
	}
	if r.refs == nil {
		return ""
	}
	sum := ""
	for _, name := range slices.Sorted(maps.Keys(r.refs.References)) {
		if tag, ok := strings.CutPrefix(name, tagPrefix); ok && signature.Match(t.Tags, tag) {
			sum += tag + " " + r.refs.References[name].String() + "\n"
		}
	}
	return sum
}

// TagsChanged reports whether the tags that count have changed since the last call. It sends no request.
func (r *Repo) TagsChanged(ctx context.Context, t Trust) bool {
	sum := r.tagSum(ctx, t)
	r.lastMu.Lock()
	defer r.lastMu.Unlock()
	changed := r.lastTags != nil && *r.lastTags != sum
	r.lastTags = &sum
	return changed
}

// byTag looks for an annotated tag of head that a trusted key signed. The name of the tag must be the one that was signed. So a tag under
// another name, or one that was moved to another commit, does not count.
func (v *verifier) byTag(ctx context.Context) (Signed, error) {
	refs := v.conv.refs
	at := map[string]plumbing.Hash{}
	for name, peeled := range refs.Peeled {
		if tag, ok := strings.CutPrefix(name, tagPrefix); ok && peeled == v.head && signature.Match(v.trust.Tags, tag) {
			at[tag] = refs.References[name]
		}
	}
	doubt := Doubt{Why: NoTag, Commit: v.head.String()}
	names := slices.SortedFunc(maps.Keys(at), func(a, b string) int { return strings.Compare(b, a) })
	if len(names) == 0 {
		return Signed{}, v.refuse(doubt)
	}
	names = names[:min(len(names), maxTags)]
	tags, want := store.New(""), []plumbing.Hash{}
	for _, name := range names {
		want = append(want, at[name])
	}
	if err := v.conv.fetch(ctx, query{want: want, depth: 1, bare: v.conv.can(capability.Filter), limit: maxBareBytes}, tags); err != nil {
		return Signed{}, v.repo.fetchError(ctx, v.head, err)
	}
	for _, name := range names {
		signer, err := v.tagger(tags, at[name], name)
		if err == nil {
			return Signed{By: signer, Tag: name}, nil
		}
		if doubt.Fault == nil {
			doubt.Tag = name
			_ = errors.As(err, &doubt.Fault)
		}
	}
	return Signed{}, v.refuse(doubt)
}

// tagger returns who signed a tag of head. The error is a [*signature.Fault], or one of reading the tag.
func (v *verifier) tagger(tags *store.Store, tag plumbing.Hash, name string) (signature.Signer, error) {
	_, text, err := tags.Raw(tag)
	if err != nil {
		return signature.Signer{}, err
	}
	o, err := signature.ParseTag(text)
	if err != nil {
		return signature.Signer{}, err
	}
	if o.Tag != name || o.Target != v.head.String() {
		return signature.Signer{}, &signature.Fault{Code: signature.Invalid, Detail: "it was signed as the tag " + strconv.Quote(printable.Clip(o.Tag, maxLine)) + " of " + cmp.Or(o.Target, "another object")}
	}
	return v.trust.Keys.Signer(o, v.now)
}
