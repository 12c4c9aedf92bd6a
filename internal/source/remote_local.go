package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// localRemote reads a repository on this machine, bare or not. It does not run git and does not
// touch the work tree.
type localRemote struct{ path string }

func (r *localRemote) open(context.Context, *secrets) (transport.UploadPackSession, error) {
	if _, err := os.Stat(r.path); err != nil {
		return nil, failure.New(ErrNotFound, "%s; source.url has to name a Git repository on this machine, or begin with https:// or ssh://", err)
	}
	repo, err := git.PlainOpenWithOptions(r.path, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	switch {
	case errors.Is(err, git.ErrRepositoryNotExists):
		return nil, failure.New(ErrNotFound, "this folder is not a Git repository; set source.url to one, or run `git init` here and commit")
	case err != nil:
		return nil, failure.New(ErrConfig, "this repository cannot be read (%s); it has to be an ordinary SHA-1 repository", failure.WithoutAddresses(err.Error(), maxLine))
	}
	stored, ok := repo.Storer.(*filesystem.Storage)
	if !ok {
		return nil, fmt.Errorf("opening the repository: unexpected storage %T", repo.Storer)
	}
	// The storage is opened again with access to the whole disk, for repositories that use objects of other
	// repositories.
	objects := filesystem.NewStorageWithOptions(stored.Filesystem(), cache.NewObjectLRU(store.ObjectCacheBytes),
		filesystem.Options{KeepDescriptors: true, AlternatesFS: osfs.New("/")})
	return &localSession{objects: objects}, nil
}

type localSession struct {
	objects *filesystem.Storage
	packing sync.WaitGroup
}

func (s *localSession) Close() error {
	s.packing.Wait()
	return s.objects.Close()
}

func (s *localSession) AdvertisedReferences() (*packp.AdvRefs, error) {
	return s.AdvertisedReferencesContext(context.Background())
}

func (s *localSession) AdvertisedReferencesContext(ctx context.Context) (*packp.AdvRefs, error) {
	refs := packp.NewAdvRefs()
	for _, can := range []capability.Capability{capability.Shallow, capability.Filter, capability.AllowReachableSHA1InWant} {
		if err := refs.Capabilities.Set(can); err != nil {
			return nil, err
		}
	}
	if head, err := s.objects.Reference(plumbing.HEAD); err == nil && head.Type() == plumbing.SymbolicReference {
		if err := refs.Capabilities.Add(capability.SymRef, "HEAD:"+head.Target().String()); err != nil {
			return nil, err
		}
	}
	iter, err := s.objects.IterReferences()
	if err != nil {
		return nil, fmt.Errorf("listing references: %w", err)
	}
	defer iter.Close()
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		if ref.Type() == plumbing.HashReference && ref.Name() != plumbing.HEAD {
			refs.References[ref.Name().String()] = ref.Hash()
			s.peel(refs, ref)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("listing references: %w", err)
	}
	return refs, nil
}

// peel adds the object that an annotated tag names.
func (s *localSession) peel(refs *packp.AdvRefs, ref *plumbing.Reference) {
	if !ref.Name().IsTag() {
		return
	}
	if tag, err := object.GetTag(s.objects, ref.Hash()); err == nil {
		refs.Peeled[ref.Name().String()] = tag.Target
	}
}

func (s *localSession) UploadPack(ctx context.Context, req *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	w := &packList{ctx: ctx, objects: s.objects, bare: req.Filter != "", seen: map[plumbing.Hash]bool{}}
	for _, have := range req.Haves {
		if err := w.walk(have, 0); err != nil && !errors.Is(err, plumbing.ErrObjectNotFound) {
			return nil, err
		}
	}
	w.list = nil
	for _, want := range req.Wants {
		if _, err := s.objects.EncodedObject(plumbing.AnyObject, want); errors.Is(err, plumbing.ErrObjectNotFound) {
			return nil, failure.New(ErrNotFound, "the repository does not have the commit %s", want)
		}
		if err := w.walk(want, 0); err != nil {
			return nil, contentError(want, err)
		}
	}
	if depth, ok := req.Depth.(packp.DepthCommits); ok {
		if err := w.history(req.Wants, int(depth)); err != nil {
			return nil, contentError(req.Wants[0], err)
		}
	}
	r, pipe := io.Pipe()
	s.packing.Go(func() { pipe.CloseWithError(contentError(req.Wants[0], store.WritePack(ctx, pipe, s.objects, w.list))) })
	return packp.NewUploadPackResponseWithPackfile(req, r), nil
}

// contentError converts an error about missing or malformed objects to one that says so for the commit.
func contentError(want plumbing.Hash, err error) error {
	for _, damage := range []error{plumbing.ErrObjectNotFound, object.ErrMalformedTree, object.ErrMalformedCommit, object.ErrMalformedTag} {
		if errors.Is(err, damage) {
			return failure.NewLocal(ErrContent, "the repository has only a part of commit %s (%s); `git fsck` there shows the missing objects", want, err)
		}
	}
	return err
}

// packList collects the objects that commits need: tags, commits, trees and blobs. It lists each object once.
type packList struct {
	ctx     context.Context
	objects storer.EncodedObjectStorer
	bare    bool // whether the files of commits are left out
	seen    map[plumbing.Hash]bool
	list    []plumbing.Hash
}

func (w *packList) walk(h plumbing.Hash, depth int) error {
	if w.seen[h] {
		return nil
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if depth > store.MaxTreeDepth {
		return store.ErrTooDeep
	}
	o, err := store.ReadObject(w.objects, h)
	if err != nil {
		return err
	}
	w.add(h)
	switch o.Type() {
	case plumbing.TagObject:
		tag, err := object.DecodeTag(w.objects, o)
		if err != nil {
			return err
		}
		return w.walk(tag.Target, depth+1)
	case plumbing.CommitObject:
		commit, err := object.DecodeCommit(w.objects, o)
		if err != nil {
			return err
		}
		if w.bare {
			return nil
		}
		return w.walk(commit.TreeHash, depth+1)
	case plumbing.TreeObject:
		return w.walkTree(o, depth)
	}
	return nil
}

// history adds the ancestors of commits. It adds depth generations; the first of them are the commits themselves.
// A shallow repository contains fewer.
func (w *packList) history(level []plumbing.Hash, depth int) error {
	visited := map[plumbing.Hash]bool{}
	for ; depth > 1 && len(level) > 0; depth-- {
		var parents []plumbing.Hash
		for _, h := range level {
			commit, err := object.GetCommit(w.objects, h)
			if err != nil {
				continue // a tag, or a commit that is missing in a shallow repository
			}
			for _, p := range commit.ParentHashes {
				if visited[p] || w.objects.HasEncodedObject(p) != nil {
					continue
				}
				visited[p] = true
				parents = append(parents, p)
				if err := w.walk(p, 0); err != nil {
					return err
				}
			}
		}
		level = parents
	}
	return nil
}

func (w *packList) walkTree(o plumbing.EncodedObject, depth int) error {
	tree, err := object.DecodeTree(w.objects, o)
	if err != nil {
		return err
	}
	for _, e := range tree.Entries {
		switch e.Mode {
		case filemode.Submodule:
		case filemode.Dir:
			if err := w.walk(e.Hash, depth+1); err != nil {
				return err
			}
		default:
			w.add(e.Hash)
		}
	}
	return nil
}

func (w *packList) add(h plumbing.Hash) {
	if !w.seen[h] {
		w.seen[h] = true
		w.list = append(w.list, h)
	}
}
