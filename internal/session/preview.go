package session

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/outdated"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/artifact"
)

// Previewed is a revision, its plan, and the findings about the plan's needs.
type Previewed struct {
	Rev       source.Revision
	Plan      plan.Plan
	Preflight preflight.Findings
	// base is the branch into which the revision was merged for the plan. It is zero if the revision was planned without a merge.
	base source.Revision
}

// Page returns the comment that a pull request with the revision would get.
func (v Previewed) Page(s *config.Stack, err error) comment.Page {
	p := comment.Page{Stack: s.Name, Head: v.Rev.Commit, Base: v.base.Branch, BaseCommit: v.base.Commit, Browser: Browser(s)}
	switch {
	case errors.As(err, &p.Problems):
	case err != nil:
		p.Err = err.Error()
	case v.base.Commit != "" && v.base.Tree == v.Rev.Tree:
		p.Quiet = true
	default:
		p.Plan, p.Preflight = &v.Plan, v.Preflight
	}
	return p
}

// Preview plans a stack's revision without changing anything. If dir is set, the revision is the files in dir. Otherwise it is ref, or the
// newest commit of the branch if ref is "". A commit that the branch does not contain yet is merged for the plan. An older commit of the
// branch is planned without a merge.
func (o Opener) Preview(ctx context.Context, s *config.Stack, ref, dir string) (v Previewed, err error) {
	v, past, done, err := o.look(ctx, s, ref, dir)
	if err != nil {
		return v, err
	}
	defer done()
	look := o.Previewer(s)
	look.Past, look.targets, look.recreate = past, o.Targets, o.Recreate
	defer o.Progress.Begin(progress.Of(s.Name, "comparing with the cloud"))()
	v.Plan, v.Preflight, err = look.Plan(ctx, v.Rev.Commit, v.Rev.Files)
	return v, err
}

// Outdated compares a stack's newest revision with newer images, flavors and tags. Objects that were created more than age ago are old; with
// age 0, none is. It sends no requests about single objects.
func (o Opener) Outdated(ctx context.Context, s *config.Stack, now time.Time, age time.Duration) (plan.Plan, outdated.Findings, error) {
	v, past, done, err := o.look(ctx, s, "", "")
	if err != nil {
		return plan.Plan{}, outdated.Findings{}, err
	}
	defer done()
	look := o.Previewer(s)
	look.Past = past
	defer o.Progress.Begin(progress.Of(s.Name, "comparing with the cloud"))()
	eng, rev, err := look.prepare(ctx, v.Rev.Commit, v.Rev.Files)
	if err != nil {
		return plan.Plan{}, outdated.Findings{}, err
	}
	p, have := eng.Compare(ctx, rev)
	found := outdated.Compare(p, have, now, age)
	switch tags, err := o.sourceTags(ctx, s); {
	case err != nil:
		found.Unknown = append(found.Unknown, "source: "+source.Public(err).Error())
	case len(tags) > 0:
		if item := outdated.SourceTags(s.Name, s.Spec.Source.Tag, v.Rev.Commit, tags); len(item.Newer) > 0 {
			found.Items = append(found.Items, item)
		}
	}
	for i := range s.Spec.Source.Libraries {
		l := &s.Spec.Source.Libraries[i]
		tags, err := o.libraryTags(ctx, s, l)
		switch item, known := outdated.Tags(l.Name, l.Commit, tags); {
		case err != nil:
			found.Unknown = append(found.Unknown, libraryError{l.Name, source.Public(err)}.Error())
		case !known:
			found.Unknown = append(found.Unknown, "library "+l.Name+": no tag is at commit "+l.Commit[:12])
		case len(item.Newer) > 0:
			found.Items = append(found.Items, item)
		}
	}
	return p, found, nil
}

// sourceTags returns the tags beside the one that a stack's artifact has. There are none for other sources.
func (o Opener) sourceTags(ctx context.Context, s *config.Stack) ([]string, error) {
	if !s.Spec.Source.IsArtifact() || s.Spec.Source.Tag == "" {
		return nil, nil
	}
	from, err := artifact.New(s.Artifact(), o.Log.With("stack", s.Name))
	if err != nil {
		return nil, err
	}
	defer o.Progress.Begin(progress.Of(s.Name, "reading the tags of "+s.Spec.Source.URL))()
	return from.Tags(ctx)
}

// Manifests reads the manifests of a stack's revision, without its cloud. ref and dir have the same meaning as for Preview.
func (o Opener) Manifests(ctx context.Context, s *config.Stack, ref, dir string) (resolve.Reading, error) {
	v, _, done, err := o.look(ctx, s, ref, dir)
	if err != nil {
		return resolve.Reading{}, err
	}
	defer done()
	defer o.Progress.Begin(progress.Of(s.Name, "reading the manifests"))()
	reading, _, err := o.Contents(ctx, s, "", s.Bounds(), v.Rev.Files)
	return reading, err
}

// look opens a revision and its past. If there is no error, done must be called after the last use of them.
func (o Opener) look(ctx context.Context, s *config.Stack, ref, dir string) (v Previewed, past resolve.Past, done func(), err error) {
	if dir != "" {
		if v.Rev, err = source.WorkTree(dir, s.Root(), s.Layers()...); err != nil {
			return v, nil, nil, source.Public(err)
		}
		if err = o.checkSigned(ctx, s, nil, &v, ref); err == nil {
			err = o.checkTree(s, dir)
		}
		return v, o.pastOfTree(s, dir), func() {}, err
	}
	from, err := o.Source(s)
	if err != nil {
		return v, nil, nil, err
	}
	done = func() { _ = from.Close() }
	defer o.Progress.Begin(progress.Of(s.Name, "fetching "+s.Spec.Source.URL))()
	if v, err = revision(ctx, from, ref); err == nil {
		err = o.checkSigned(ctx, s, Verify(s, from), &v, ref)
	}
	if err != nil {
		done()
		return v, nil, nil, err
	}
	return v, v.past(from), done, nil
}

// checkTree refuses a work tree that would be refused as a commit, and warns of other differences between the two.
func (o Opener) checkTree(s *config.Stack, dir string) error {
	problems, notes := Uncommitted(filepath.Join(dir, filepath.FromSlash(s.Root())), s.Root(), s.Selection())
	for _, n := range notes {
		o.Log.Warn("the work tree differs from its commit", "stack", s.Name, "file", n.Origin.File, "reason", n.What)
	}
	return problems.Sorted().Err()
}

// pastOfTree returns the past of a work tree's files: first the files as committed, then those of earlier commits. If Git cannot read them,
// a warning says so.
func (o Opener) pastOfTree(s *config.Stack, dir string) resolve.Past {
	return func(ctx context.Context, visit func(string, fs.FS) bool) error {
		repo, head, err := source.Committed(dir, s.Root(), s.Layers()...)
		if repo == nil && err == nil {
			return nil
		}
		if err == nil {
			defer func() { _ = repo.Close() }()
			err = committed(ctx, repo, head, visit)
		}
		if err != nil && ctx.Err() == nil {
			o.Log.Warn("the work tree is not compared with its commits", "stack", s.Name, "reason", source.Public(err).Error())
			return nil
		}
		return err
	}
}

func committed(ctx context.Context, repo *source.Repo, head string, visit func(string, fs.FS) bool) error {
	rev, err := repo.At(ctx, head)
	if err != nil || !visit(rev.Commit, rev.Files) {
		return err
	}
	return agent.PastOf(repo.Earlier, rev)(ctx, visit)
}

// past returns the past of the revision's files, or nil for an artifact. It is on the revision's own branch, or on the branch that the revision was merged into.
func (v Previewed) past(from Source) resolve.Past {
	repo, ok := Git(from)
	if !ok {
		return nil
	}
	if v.base.Commit == "" {
		return agent.PastOf(repo.Earlier, v.Rev)
	}
	return func(ctx context.Context, visit func(string, fs.FS) bool) error {
		if !visit(v.base.Commit, v.base.Files) {
			return nil
		}
		return agent.PastOf(repo.Earlier, v.base)(ctx, visit)
	}
}

func revision(ctx context.Context, from Source, ref string) (v Previewed, err error) {
	if of, ok := from.(*artifact.Artifact); ok && ref != "" {
		v.Rev, err = of.At(ctx, ref)
		return v, source.Public(err)
	}
	v.Rev, _, err = from.Fetch(ctx)
	repo, ok := Git(from)
	if err != nil || ref == "" || !ok {
		return v, source.Public(err)
	}
	base := v.Rev
	merge, err := repo.Merged(ctx, ref)
	switch {
	case err != nil:
		return v, source.Public(err)
	case merge.MergeBase == merge.Head:
		v.Rev, err = repo.At(ctx, ref)
		return v, source.Public(err)
	}
	v.Rev, v.base = merge.Revision, base
	if len(merge.Conflicts) > 0 {
		return v, review.Conflict(base.Branch, merge.Conflicts)
	}
	return v, nil
}
