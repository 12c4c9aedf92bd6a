package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
)

// described is a kind as explain and schema see it.
type described struct {
	gvk  manifest.GroupVersionKind
	body reflect.Type
	doc  string
	// found is true of kinds whose objects are looked up and never made.
	found bool
}

// described lists every kind that people can write, those of alias groups
// after the groups they stand for.
func describedKinds() []described {
	var list []described
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		info := k.Info()
		doc := info.Doc
		for _, gvk := range info.Spellings() {
			list = append(list, described{gvk, k.Body(), doc, info.ImportOnly})
			doc = "The same as " + info.Kind + " in " + info.Group + "."
		}
	}
	return append(list, described{config.GVK, reflect.TypeFor[config.Body](), "The agent's configuration: one folder of one branch, applied to one cloud project.", false})
}

// find returns the kind of that name, in either case.
func find(name string) (described, error) {
	var names []string
	for _, d := range describedKinds() {
		if strings.EqualFold(d.gvk.Kind, name) {
			return d, nil
		}
		names = append(names, d.gvk.Kind)
	}
	if near := nearest.Name(name, names); near != "" {
		return described{}, fmt.Errorf("there is no kind %s; did you mean %s?", name, near)
	}
	return described{}, fmt.Errorf("there is no kind %s; `%s explain` lists them", name, program)
}

func kindNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, d := range describedKinds() {
		if !seen[d.gvk.Kind] {
			names = append(names, d.gvk.Kind)
		}
		seen[d.gvk.Kind] = true
	}
	return names
}
