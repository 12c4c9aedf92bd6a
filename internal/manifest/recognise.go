package manifest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// vocabulary contains the kinds and groups that the caller knows, in the form that judge needs.
type vocabulary struct {
	kinds   map[GroupVersionKind]bool
	aside   map[GroupVersionKind]bool
	groups  []string            // known groups except the core group
	byKind  map[string][]string // from kind to its API versions
	byAPI   map[string][]string // from API version to its kinds
	unknown map[string]string   // additional advice about an unknown kind, by group
}

func newVocabulary(opts Options) vocabulary {
	v := vocabulary{
		kinds:   map[GroupVersionKind]bool{},
		aside:   map[GroupVersionKind]bool{},
		byKind:  map[string][]string{},
		byAPI:   map[string][]string{},
		unknown: opts.Unknown,
	}
	for _, g := range opts.LeaveAlone {
		v.aside[g] = true
	}
	for _, g := range opts.Kinds {
		v.kinds[g] = true
	}
	for _, g := range slices.Concat(opts.Kinds, opts.LeaveAlone) {
		v.byKind[g.Kind] = append(v.byKind[g.Kind], g.APIVersion())
		v.byAPI[g.APIVersion()] = append(v.byAPI[g.APIVersion()], g.Kind)
		if g.Group != "" && !slices.Contains(v.groups, g.Group) {
			v.groups = append(v.groups, g.Group)
		}
	}
	return v
}

// verdict says how to treat a document: as an object (gvk), as a list, as ignored, or as a problem. Exactly one of them is
// set.
type verdict struct {
	gvk     GroupVersionKind
	list    bool
	items   GroupVersionKind // the kind of the items in a typed list
	ignore  string
	aside   bool // set if the document is ignored because its kind is in Options.LeaveAlone
	problem *Problem
}

// looksLikeManifest reports whether a document is meant as a manifest, even if half of its head is missing. A text that
// cannot be parsed is meant as a manifest if it contains the names of both fields. Otherwise, an object could vanish
// because of a typing mistake.
func (v vocabulary) looksLikeManifest(d document) bool {
	if d.fault != nil {
		return bytes.Contains(d.text, []byte("apiVersion")) && bytes.Contains(d.text, []byte("kind"))
	}
	return v.claims(d.root) || d.root.Kind == yaml.SequenceNode && slices.ContainsFunc(d.root.Content, func(item *yaml.Node) bool { return v.claims(follow(item)) })
}

// claims reports whether a mapping has the head of a manifest. Half of the head is enough if its kind or its API group is known.
func (v vocabulary) claims(root *yaml.Node) bool {
	_, api := lookup(root, "apiVersion")
	_, kind := lookup(root, "kind")
	switch {
	case api != nil && kind != nil:
		return true
	case api != nil:
		group, _, _ := strings.Cut(api.Value, "/")
		return group != "" && slices.Contains(v.groups, group)
	case kind != nil:
		return len(v.byKind[kind.Value]) > 0
	}
	return false
}

// judge decides by apiVersion and kind how to treat a document.
func (v vocabulary) judge(root *yaml.Node, assumed GroupVersionKind) verdict {
	if root.Kind == yaml.SequenceNode {
		return faulty(root, "", "not an object, but a list", "write each item as a document of its own, after ---, or below items of kind: List")
	}
	if root.Kind != yaml.MappingNode {
		return faulty(root, "", "not an object, but "+describe(root, true), "a manifest is a mapping with apiVersion and kind")
	}
	api, wrong := headField(root, "apiVersion", assumed.APIVersion())
	if wrong != nil {
		return verdict{problem: wrong}
	}
	kind, wrong := headField(root, "kind", assumed.Kind)
	if wrong != nil {
		return verdict{problem: wrong}
	}
	switch {
	case api == "" && kind == "":
		return faulty(root, "", "the document has neither apiVersion nor kind, but other manifests of the file have both", "add apiVersion and kind, or move the document to a file of its own")
	case api == "":
		return faulty(root, "apiVersion", "missing", meant(v.byKind[kind]))
	case kind == "":
		return faulty(root, "kind", "missing", meant(v.byAPI[api]))
	}
	group, version, found := strings.Cut(api, "/")
	if !found {
		group, version = "", api
	}
	return v.place(root, GroupVersionKind{group, version, kind})
}

func (v vocabulary) place(root *yaml.Node, g GroupVersionKind) verdict {
	item := GroupVersionKind{g.Group, g.Version, strings.TrimSuffix(g.Kind, "List")}
	switch {
	case v.aside[g]:
		return verdict{ignore: g.Kind + " is not an object of a stack", aside: true}
	case v.kinds[g]:
		return verdict{gvk: g}
	case g.Group == "" && g.Version == "v1" && g.Kind == "List":
		return verdict{list: true}
	case item.Kind != g.Kind && v.kinds[item]:
		return verdict{list: true, items: item}
	case g.Group == "":
		return v.core(root, g)
	case slices.Contains(v.groups, g.Group):
		return v.misnamed(root, g)
	}
	if meant := nearest.Name(g.Group, v.groups); meant != "" {
		return faulty(root, "apiVersion", "unknown group "+quote(g.Group), "did you mean "+meant+"?")
	}
	return verdict{ignore: fmt.Sprintf("%s %s is not a kind of this program", g.APIVersion(), g.Kind)}
}

// core judges a document without a group. It ignores v1 kinds of Kubernetes. A known kind is a problem, because its group
// is missing.
func (v vocabulary) core(root *yaml.Node, g GroupVersionKind) verdict {
	if apis := v.byKind[g.Kind]; len(apis) > 0 {
		return faulty(root, "apiVersion", quote(g.Version)+" has no kind "+g.Kind, meant(apis))
	}
	if kind := nearest.Name(g.Kind, v.byAPI[g.APIVersion()]); kind != "" {
		return faulty(root, "kind", "unknown kind "+quote(g.Kind), "did you mean "+kind+"?")
	}
	return verdict{ignore: fmt.Sprintf("%s %s is not a kind of this program", g.APIVersion(), g.Kind)}
}

// misnamed returns the problem of a document whose group is known and whose kind or version is not.
func (v vocabulary) misnamed(root *yaml.Node, g GroupVersionKind) verdict {
	var versions, kinds []string
	for known := range v.kinds {
		if known.Group != g.Group {
			continue
		}
		if kinds = append(kinds, known.Kind); known.Kind == g.Kind {
			versions = append(versions, known.APIVersion())
		}
	}
	slices.Sort(kinds)
	slices.Sort(versions)
	if len(versions) > 0 {
		return faulty(root, "apiVersion", "unknown version "+quote(g.Version), meant(versions))
	}
	if apis := v.byKind[g.Kind]; len(apis) > 0 {
		return faulty(root, "apiVersion", g.Group+" has no kind "+g.Kind, meant(apis))
	}
	fix := didYouMean(g.Kind, slices.Compact(kinds))
	if more := v.unknown[g.Group]; more != "" && nearest.Name(g.Kind, kinds) == "" {
		fix += "; " + more
	}
	return faulty(root, "kind", fmt.Sprintf("unknown kind %s in %s", quote(g.Kind), g.Group), fix)
}

// headField returns the value of apiVersion or kind.
func headField(root *yaml.Node, name, assumed string) (string, *Problem) {
	_, value := lookup(root, name)
	switch {
	case value == nil || isNull(value):
		return assumed, nil
	case value.Kind != yaml.ScalarNode || typeOf(value) != tagString:
		return "", faulty(root, name, "wants a string, found "+describe(value, false), "").problem
	}
	return value.Value, nil
}

func meant(names []string) string {
	if len(names) == 0 {
		return ""
	}
	const most = 4
	if len(names) > most {
		return "see `explain` for the kinds there are"
	}
	return "did you mean " + strings.Join(names, " or ") + "?"
}

// faulty returns a problem with a document that is not an object yet. The problem contains the kind and the name, if they
// are known.
func faulty(root *yaml.Node, field, what, fix string) verdict {
	p := &Problem{Field: field, What: what, Fix: fix}
	if key, _ := lookup(root, field); key != nil {
		p.Origin.Line = key.Line
	}
	if _, kind := lookup(root, "kind"); kind != nil {
		p.Key.Kind = clip(kind.Value)
	}
	p.Key.Name = roughName(root)
	return verdict{problem: p}
}

// roughName returns the name of a document that is not checked yet, for messages.
func roughName(root *yaml.Node) string {
	if _, meta := lookup(root, "metadata"); meta != nil {
		if _, name := lookup(meta, "name"); name != nil {
			return clip(name.Value)
		}
	}
	return ""
}

// written returns a field of the metadata of a document that is not checked yet.
func written(root *yaml.Node, field string) string {
	if value := valueAt(root, "metadata", field); value != nil && value.Kind == yaml.ScalarNode && len(value.Value) <= longestName {
		return value.Value
	}
	return ""
}
