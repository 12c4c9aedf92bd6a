package resolve

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A revision may define kinds. Its definitions are read first, then everything else with the kinds that they define. The objects of these
// kinds are expanded before all others, so that their parts count as declared, like manifests. For example, a machine finds a network that
// an object of a defined kind adds.

// Defined returns the kinds that folders and files define. Its error is a [manifest.Problems] of these definitions only,
// and ignores other mistakes in the files.
func (r Reader) Defined(ctx context.Context, parts []manifest.Part) ([]*kind.Kind, error) {
	kinds, problems, err := r.defined(slices.Clone(parts), manifest.Options{MaxNodes: r.Bounds.Values, MaxTotalBytes: r.Bounds.Bytes, Stop: ctx.Err})
	if err != nil {
		return nil, fmt.Errorf("read the definitions: %w", err)
	}
	return kinds, manifest.Problems(problems).Err()
}

// defined returns the kinds that parts define, and the mistakes in their definitions. After that, each part can still be read once. Other
// mistakes are found when everything is read.
func (r Reader) defined(parts []manifest.Part, options manifest.Options) (kinds []*kind.Kind, problems []manifest.Problem, err error) {
	var definer *kind.Kind
	options.Kinds, options.Holding, options.Schemas = nil, nil, schemas(r.Kinds)
	for _, k := range r.Kinds {
		if k.Define != nil {
			options.Kinds = append(options.Kinds, manifest.GroupVersionKind{Group: k.Info.Group, Version: k.Info.Version, Kind: k.Info.Kind})
			options.Holding = append(options.Holding, k.Info.Kind)
			definer = cmp.Or(definer, k)
		}
	}
	if definer == nil {
		return nil, nil, nil
	}
	var documents []*manifest.Object
	options.Each = func(obj *manifest.Object) { documents = append(documents, obj) }
	again(parts, func() { _, _ = manifest.LoadParts(parts, options) })
	if err := options.Stop(); err != nil || len(documents) == 0 {
		return nil, nil, err
	}
	kinds, problems = definer.Define(documents, r.Kinds, options.Stop)
	return kinds, problems, options.Stop()
}

// again calls read, after which each part can still be read once.
func again(parts []manifest.Part, read func()) {
	for i, p := range parts {
		if p.Text != nil {
			kept := &bytes.Buffer{}
			defer func() { parts[i].Text = io.MultiReader(kept, p.Text) }()
			parts[i].Text = io.TeeReader(p.Text, kept)
		}
	}
	read()
}

// unknownKinds returns advice about unknown kinds, by the groups in which a revision can define kinds.
func unknownKinds(kinds []*kind.Kind) map[string]string {
	advice := map[string]string{}
	for _, k := range kinds {
		if k.Define != nil {
			advice[k.Info.Group] = "a kind of the repository needs its " + k.Info.Kind + " in the stack's folder or in one of its libraries, as long as there are objects of this kind"
		}
	}
	return advice
}

// expandDefined expands only the objects of kinds that the revision defines.
func (r *resolver) expandDefined() {
	r.defining = true
	for i := 0; i < len(r.order) && !r.over(); i++ {
		if n := r.order[i]; r.defined[n.Key.Kind] {
			r.last = n.Object
			r.expand(n)
		}
	}
	r.defining, r.declares = false, len(r.order)
}

// placeTemplate adds the place in the template to a problem with an object from a template.
func (r *resolver) placeTemplate(p *manifest.Problem) {
	if n := r.byKey[p.Key]; n != nil && n.template != nil {
		p.What += fmt.Sprintf(" (from the template at %s)", n.template(p.Field))
	}
}

// externalKeys returns the keys of the parts to which the definition only refers (externalRef), by their IDs in the definition.
func externalKeys(parts []kind.Part) (keys map[string]manifest.Key) {
	for _, p := range parts {
		if p.Shown() {
			if keys == nil {
				keys = map[string]manifest.Key{}
			}
			keys[p.ID] = p.Key
		}
	}
	return keys
}

// checkExternal refuses references of definitions to objects that no manifest describes.
func (r *resolver) checkExternal() {
	for _, n := range r.order[:r.declares] {
		if n.Defined() == nil {
			continue
		}
		for id, key := range n.Definition.External {
			if r.byKey[key] == nil && !r.allowMissing && !r.partsUnknown {
				r.report(n.Problem("", fmt.Sprintf("refers to %s as %s, but that object is not in the repository", shown(key), id), r.suggest(key)))
			}
		}
	}
}

// mergeAnnotations merges the annotations of a template with those of its object, which take precedence. If an annotation is a list of fields, both
// lists apply.
func mergeAnnotations(template, inherited map[string]string) map[string]string {
	if len(template) == 0 {
		return inherited
	}
	all := maps.Clone(template)
	for name, value := range inherited {
		if own := all[name]; own != "" && (name == AnnotationIgnore || name == AnnotationChange) {
			value = strings.Join([]string{own, value}, ",")
		}
		all[name] = value
	}
	return all
}
