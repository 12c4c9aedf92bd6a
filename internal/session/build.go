package session

import (
	"context"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// builder returns a function that replaces a stack's folders by what kustomize makes of them. It returns nil for a stack without
// kustomize. The last folder is built, and may use the others.
func (o Opener) builder(s *config.Stack, kinds []*kind.Kind) func(context.Context, []manifest.Part) ([]manifest.Part, error) {
	if !s.Spec.Source.Kustomize {
		return nil
	}
	build := o.Kustomize
	if build == nil {
		build = func(context.Context, kustomize.Input) (kustomize.Output, error) {
			return kustomize.Output{}, errors.New("this program cannot run kustomize")
		}
	}
	return func(ctx context.Context, parts []manifest.Part) ([]manifest.Part, error) {
		tree, ok := kustomize.TreeOf(parts)
		if !ok {
			return parts, nil
		}
		tree.References = references(kinds)
		isFolder := func(p manifest.Part) bool { return p.Files != nil }
		made, err := kustomize.Load(ctx, tree, build)
		if err != nil {
			return nil, err
		}
		return append(slices.DeleteFunc(slices.Clone(parts), isFolder), made), nil
	}
}

// references returns the fields of kinds with the names of objects.
func references(kinds []*kind.Kind) (list []kustomize.Reference) {
	for _, f := range resolve.NameFields(kinds) {
		list = append(list, kustomize.Reference(f))
	}
	return list
}
