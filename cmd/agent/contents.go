package main

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

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

// uncommitted says what a commit of a folder would not hold as it lies there, by the names that people know files by
// below label. Problems are what a commit would be refused for.
func uncommitted(dir, label string, selection manifest.Selection) (problems manifest.Problems, notes []manifest.Problem) {
	named := func(name string) bool { return manifest.Named(name) && selection.Selects(name) }
	format := func(text []byte) string {
		what, _ := manifest.Foreign(text)
		return what
	}
	differences, err := source.Uncommitted(dir, named, format)
	if err != nil {
		return nil, []manifest.Problem{{Origin: manifest.Origin{File: label}, What: "is not compared with what Git holds: " + err.Error()}}
	}
	for _, d := range differences {
		p := manifest.Problem{Origin: manifest.Origin{File: path.Join(label, d.File)}}
		switch d.How {
		case source.Submodule:
			if !selection.Selects(d.File) {
				continue
			}
			p.What, p.Fix = "a submodule, and submodules are not fetched", "commit the files themselves, or leave the folder out with spec.source.exclude"
		case source.Converted:
			p.What, p.Fix = "is stored in Git as "+d.Stored, "take its pattern out of .gitattributes and add the file again"
		case source.Linked:
			p.What, p.Fix = "is stored in Git as a symbolic link, which is not followed", "put the file itself here"
		case source.Untracked:
			p.What = "is in no commit: Git ignores it, or it was not added yet"
		case source.CheckedOut:
			p.What = "is not checked out here (sparse checkout), and a commit has it"
		}
		if p.Fix == "" {
			notes = append(notes, p)
		} else {
			problems = append(problems, p)
		}
	}
	return problems, notes
}

// withMore adds problems to an error, of files that it does not name yet. An error that is none of manifests comes first.
func withMore(err error, more manifest.Problems) error {
	var problems manifest.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	for _, p := range more {
		if !slices.ContainsFunc(problems, func(o manifest.Problem) bool { return o.Origin.File == p.Origin.File }) {
			problems = append(problems, p)
		}
	}
	return problems.Sorted().Err()
}
