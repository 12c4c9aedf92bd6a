// Package validate checks manifests and configurations without a cloud.
//
// It reads the files on disk, and does not depend on how the result is shown.
package validate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Parts reads manifests and adds the findings to v.
func Parts(ctx context.Context, o session.Opener, v *report.Validation, stack, judge *config.Stack, parts []manifest.Part) error {
	defer o.Progress.Begin("reading the manifests")()
	o.Sealed, o.WithoutStores = o.Sealed || !stack.HasDecryption(), true
	parts, err := Layered(stack, parts)
	if err != nil {
		return err
	}
	r, err := o.Reader(ctx, stack, "", stack.Bounds())
	if err != nil {
		return err
	}
	reading, err := r.ReadParts(ctx, Selected(stack, parts))
	v.Ignored = reading.Ignored
	for _, part := range parts {
		if part.Files != nil && part.Name != "" && part.Layer == 0 {
			problems, notes := session.Uncommitted(filepath.FromSlash(part.Name), part.Name, manifest.Selection{Folders: stack.Layers()})
			err, v.Notes = session.WithMore(err, problems), append(v.Notes, notes...)
		}
	}
	if err = withFolders(parts, err); err != nil {
		return err
	}
	v.Notes = append(v.Notes, decide.Rivals(r.Kinds, reading.Want)...)
	for _, s := range preflight.ShortagesIn(r.Kinds, reading.Want) {
		v.Notes = append(v.Notes, manifest.Problem{Origin: s.Origin, Key: s.Key, What: s.Cause().String()})
	}
	v.Notes = append(v.Notes, reading.Hints...)
	v.Notes = append(v.Notes, lookups(reading.Want)...)
	if judge != nil {
		problems, notes := judge.TryPolicies(decide.Compute(world.Input{Stack: judge.Name, Kinds: r.Kinds, Want: reading.Want}))
		v.Problems, v.Notes = append(v.Problems, problems...), append(v.Notes, notes...)
	}
	for _, d := range reading.Want {
		if d.Parent.Kind == "" {
			v.Objects++
			v.Notes = append(v.Notes, unchecked(&d)...)
		}
		for _, n := range d.Notes {
			v.Notes = append(v.Notes, manifest.Problem{Origin: d.Origin, Key: d.Key, Field: printable.Line(n.Field), What: n.Text})
		}
	}
	hideDecrypted(v, reading.Want)
	return nil
}

// hideDecrypted removes secrets from the findings, if any value was decrypted.
func hideDecrypted(v *report.Validation, want []kind.Desired) {
	if !slices.ContainsFunc(want, func(d kind.Desired) bool { return len(d.Encrypted) > 0 }) {
		return
	}
	public := confidential.Redactor(want).Text
	for _, list := range [][]manifest.Problem{v.Problems, v.Notes} {
		for i := range list {
			list[i].What, list[i].Fix = public(list[i].What), public(list[i].Fix)
		}
	}
}

// unchecked lists the encrypted fields of an object that were not decrypted.
func unchecked(d *kind.Desired) (notes []manifest.Problem) {
	if d.Object == nil || !d.Object.Unknown() {
		return nil
	}
	for _, field := range d.Object.Encrypted() {
		notes = append(notes, manifest.Problem{Origin: d.Object.Where(field), Key: d.Key, Field: printable.Line(field), What: "encrypted, not checked"})
	}
	d.Object.Release()
	return notes
}

// Layered returns the layers of a stack with overlays, if one folder is checked. The folder stands for spec.source.path.
func Layered(stack *config.Stack, parts []manifest.Part) ([]manifest.Part, error) {
	if stack.Spec.Source.Kustomize && len(parts) > 1 {
		return nil, errors.New("kustomize makes the manifests of one folder; name one folder")
	}
	layers := stack.Layers()
	if len(layers) == 0 || len(parts) != 1 || parts[0].Files == nil {
		return parts, nil
	}
	root, err := filepath.Rel(filepath.FromSlash(path.Clean(stack.Spec.Source.Path)), filepath.FromSlash(stack.Root()))
	if err != nil {
		return nil, fmt.Errorf("find the layers: %w", err)
	}
	dir := path.Join(parts[0].Name, filepath.ToSlash(root))
	rev, err := source.WorkTree(filepath.FromSlash(dir), "", layers...)
	if err != nil {
		return nil, err
	}
	parts = nil
	for i, folder := range layers {
		parts = append(parts, manifest.Part{Name: dir, Files: rev.Files, Folder: folder, Layer: i})
	}
	return parts, nil
}

// Selected returns the parts with the files that the stack reads (spec.source.include and exclude).
func Selected(stack *config.Stack, parts []manifest.Part) []manifest.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		if parts[i].Files != nil {
			parts[i].Files = stack.Selection().Of(parts[i].Files)
		}
	}
	return parts
}

// withFolders adds the problems of folder settings to those of their manifests.
func withFolders(parts []manifest.Part, err error) error {
	var problems manifest.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	for _, part := range parts {
		if part.Files == nil {
			continue
		}
		var more manifest.Problems
		folders := []string{path.Clean(part.Folder)}
		if _, err := config.ReadFolders(part.Files, folders); err != nil && !errors.As(err, &more) {
			return err
		}
		for _, p := range more {
			p.Origin.File = path.Join(part.Name, p.Origin.File)
			problems = append(problems, p)
		}
	}
	return problems.Sorted().Err()
}

// Judging returns the stack whose policies are applied: the chosen one, or the only one of a configuration that
// is named together with the manifests. It returns nil if there is none.
func Judging(stack *config.Stack, beside []config.Stack) *config.Stack {
	if len(beside) == 1 {
		stack = &beside[0]
	}
	if !stack.HasPolicies() {
		return nil
	}
	return stack
}

// Outside checks the names in stacks that refer to things on this machine other than files: entries of
// clouds.yaml, and repositories.
func Outside(stacks []config.Stack) (problems manifest.Problems) {
	for i := range stacks {
		s := &stacks[i]
		add := func(field string, err error) {
			if err != nil {
				problems = append(problems, manifest.Problem{Origin: s.Where(field), Key: manifest.Key{Kind: config.GVK.Kind, Name: s.Name}, Field: field, What: printable.Line(private.Text(err))})
			}
		}
		if cloudName := s.MainCloud(); cloudName != "" && !s.PerFolder() {
			add("spec.cloud", cloud.CheckEntry(cloudName))
		}
		for j, name := range s.Spec.Clouds {
			add(fmt.Sprintf("spec.clouds[%d]", j), cloud.CheckEntry(name))
		}
		if !s.Spec.Source.IsArtifact() {
			add("spec.source.url", s.Repo("", nil).CheckLocal())
		}
	}
	return problems
}
