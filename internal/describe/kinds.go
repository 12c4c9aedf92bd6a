// Package describe finds kinds of objects by every name that people use for them. It returns their fields, JSON
// Schemas and examples.
//
// It uses the list of kinds, and neither stacks nor clouds.
package describe

import (
	"context"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Kind is a kind as its documentation shows it.
type Kind struct {
	GVK  manifest.GroupVersionKind
	Body manifest.Type
	Doc  string
	// short is another name of the kind, or "".
	short string
}

// All returns every kind that people can write. The kinds of an alias group follow the kinds of the group that
// it means.
func All() []Kind {
	list := describe(all.Kinds(nil, defaults.Defaults{}))
	for _, k := range config.Kinds() {
		list = append(list, Kind{GVK: k.GVK, Body: k.Body, Doc: k.Doc})
	}
	return list
}

func describe(kinds []*kind.Kind) (list []Kind) {
	for _, k := range kinds {
		info := k.Info
		doc := info.Doc
		for _, gvk := range info.Spellings() {
			list = append(list, Kind{GVK: gvk, Body: k.Body, Doc: doc, short: info.Short})
			doc = "The same as " + info.Kind + " in " + info.Group + "."
		}
	}
	return list
}

// Defined returns the kinds that Definitions in manifests define.
func Defined(ctx context.Context, parts []manifest.Part) ([]Kind, error) {
	kinds, err := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{})}.Defined(ctx, parts)
	return describe(kinds), err
}

// Find returns the kind with this name, plural or short name, in upper or lower case. It searches the built-in
// kinds and the kinds in further.
func Find(name string, further []Kind) (Kind, error) {
	var names []string
	for _, d := range append(All(), further...) {
		if strings.EqualFold(d.GVK.Kind, name) || strings.EqualFold(d.GVK.Kind+"s", name) || d.short != "" && strings.EqualFold(d.short, name) {
			return d, nil
		}
		names = append(names, d.GVK.Kind)
	}
	if near := nearest.Name(name, names); near != "" {
		return Kind{}, fmt.Errorf("there is no kind %s; did you mean %s?", name, near)
	}
	return Kind{}, fmt.Errorf("there is no kind %s; `stackreeve explain` lists them", name)
}

// Names returns the names of all kinds without duplicates.
func Names() []string {
	var names []string
	seen := map[string]bool{}
	for _, d := range All() {
		if !seen[d.GVK.Kind] {
			names = append(names, d.GVK.Kind)
		}
		seen[d.GVK.Kind] = true
	}
	return names
}
