package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// contents reads all that a revision of a stack's folder says: its manifests, and
// what it takes from what the agent does. What is wrong is reported at once.
func (w wiring) contents(ctx context.Context, s *config.Stack, region string, bounds resolve.Bounds, files fs.FS) (resolve.Reading, []plan.Policy, error) {
	r, err := w.reader(ctx, s, region, bounds)
	if err != nil {
		return resolve.Reading{}, nil, err
	}
	reading, err := r.Read(ctx, files)
	weaker, err2 := config.ReadFolder(files)
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

// publicly is an error of reading a revision as everybody may see it. What is wrong
// with manifests is theirs to see.
func publicly(err error) error {
	if err == nil || errors.As(err, new(manifest.Problems)) || errors.As(err, new(libraryError)) {
		return err
	}
	return source.Public(err)
}
