package session

import (
	"errors"
	"path"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Uncommitted lists the files of a folder that a commit of the folder would not contain in their present form. label is the path of the folder
// as people know it; the names of files begin with it. The commit would be refused because of problems, but not because of notes.
func Uncommitted(dir, label string, selection manifest.Selection) (problems manifest.Problems, notes []manifest.Problem) {
	named := func(name string) bool { return manifest.Named(name) && selection.Selects(name) }
	format := func(text []byte) string {
		what, _ := manifest.Foreign(text)
		return what
	}
	differences, err := source.Uncommitted(dir, named, format)
	if err != nil {
		return nil, []manifest.Problem{{Origin: manifest.Origin{File: label}, What: "cannot be compared with Git: " + err.Error()}}
	}
	for _, d := range differences {
		p := manifest.Problem{Origin: manifest.Origin{File: path.Join(label, d.File)}}
		switch d.How {
		case source.Submodule:
			if !selection.Selects(d.File) {
				continue
			}
			p.What, p.Fix = "a submodule, and submodules are not fetched", "commit the files themselves, or exclude the folder with spec.source.exclude"
		case source.Converted:
			p.What, p.Fix = "is stored in Git as "+d.Stored, "remove its pattern from .gitattributes and add the file again"
		case source.Linked:
			p.What, p.Fix = "is stored in Git as a symbolic link, and the agent does not follow links", "put the file itself at this path"
		case source.Untracked:
			p.What = "is not in a commit: Git ignores the file, or it was not added yet"
		case source.CheckedOut:
			p.What = "is in the commit, but is not checked out here (sparse checkout)"
		}
		if p.Fix == "" {
			notes = append(notes, p)
		} else {
			problems = append(problems, p)
		}
	}
	return problems, notes
}

// WithMore adds problems to an error, except problems in files that the error already names. If err is not about manifests, it returns err
// unchanged.
func WithMore(err error, more manifest.Problems) error {
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
