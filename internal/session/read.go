package session

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Contents reads everything in a revision of a stack's folder: its manifests and its policies. It reports all errors at once.
func (o Opener) Contents(ctx context.Context, s *config.Stack, region string, bounds resolve.Bounds, files fs.FS) (resolve.Reading, []plan.Policy, error) {
	r, err := o.Reader(ctx, s, region, bounds)
	if err != nil {
		return resolve.Reading{}, nil, err
	}
	reading, err := r.Read(ctx, files)
	weaker, err2 := config.ReadFolders(files, s.Layers())
	var problems, more manifest.Problems
	switch {
	case err2 == nil:
		return reading, weaker, err
	case err != nil && !errors.As(err, &problems):
		return reading, nil, err
	case !errors.As(err2, &more):
		return reading, nil, err2
	}
	return reading, nil, append(problems, more...).Sorted()
}

// PublicError removes from an error the details that must not be public. Errors in manifests and of libraries stay as they are.
// The reasons why a revision is not verified become [manifest.Problems].
func PublicError(err error) error {
	if problems := agent.Unverified(err); problems != nil {
		return problems
	}
	if err == nil || errors.As(err, new(manifest.Problems)) || errors.As(err, new(libraryError)) {
		return err
	}
	return source.Public(err)
}

// Reader returns a reader for revisions of a stack, with its libraries.
func (o Opener) Reader(ctx context.Context, s *config.Stack, region string, bounds resolve.Bounds) (resolve.Reader, error) {
	r := o.reader(s, region, bounds)
	r.Build = o.builder(s, r.Kinds)
	var failed []error
	if r.Decryption.Unknown = o.Sealed; !o.Sealed {
		keys, err := s.DecryptionKeys()
		if err != nil {
			failed = append(failed, err)
		}
		r.Decryption.Keys = keys
	}
	r.Stores = o.stores(s)
	for i := range s.Spec.Source.Libraries {
		l := &s.Spec.Source.Libraries[i]
		rev, err := o.library(ctx, s, l)
		if err != nil {
			failed = append(failed, libraryError{l.Name, source.Public(err)})
			continue
		}
		r.Libraries = append(r.Libraries, manifest.Part{Name: path.Join(l.Label(), l.Path), Files: rev.Files})
	}
	return r, errors.Join(failed...)
}

// Read returns a function that reads a revision of the stack's branch.
func (o Opener) Read(s *config.Stack) func(context.Context, fs.FS, string) (resolve.Reading, error) {
	return func(ctx context.Context, files fs.FS, region string) (resolve.Reading, error) {
		reading, _, err := o.Contents(ctx, s, region, s.Bounds(), files)
		return reading, PublicError(err)
	}
}

func (o Opener) reader(s *config.Stack, region string, bounds resolve.Bounds) resolve.Reader {
	return resolve.Reader{Kinds: o.Shared.kinds().kinds(defaultsIn(s, region)), Bounds: bounds, Root: s.Root(), Layers: s.Layers(), Values: s.Values(), Selection: s.Selection(),
		Entries: s.Entries(), Missing: s.Spec.Sync.MissingReferences == "wait"}
}

// defaultsIn returns the defaults for kinds in a stack's configuration. region is the region of the stack's cloud; "" when unknown.
func defaultsIn(s *config.Stack, region string) defaults.Defaults {
	d := s.Spec.Defaults
	d.Region = region
	return d
}
