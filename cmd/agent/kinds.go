package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// described is a kind as explain and schema see it.
type described struct {
	gvk  manifest.GroupVersionKind
	body manifest.Type
	doc  string
	// short is another name of it, "" for none.
	short string
}

// described lists every kind that people can write, those of alias groups
// after the groups they stand for.
func describedKinds() []described {
	list := describe(all.Kinds(nil, defaults.Defaults{}))
	for _, k := range config.Kinds() {
		list = append(list, described{gvk: k.GVK, body: k.Body, doc: k.Doc})
	}
	return list
}

func describe(kinds []kind.Kind) (list []described) {
	for _, k := range kinds {
		info := k.Info()
		doc := info.Doc
		for _, gvk := range info.Spellings() {
			list = append(list, described{gvk: gvk, body: k.Body(), doc: doc, short: info.Short})
			doc = "The same as " + info.Kind + " in " + info.Group + "."
		}
	}
	return list
}

// definedKinds are the kinds that the manifests in folders and files define.
func definedKinds(cmd *cobra.Command, paths []string) ([]described, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	_, parts, err := sortPaths(cmd, paths)
	if err != nil {
		return nil, err
	}
	kinds, err := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{})}.Defined(cmd.Context(), parts)
	return describe(kinds), err
}

// definitionsFlag is where commands that describe kinds take those of users from.
func definitionsFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringSlice("definitions", nil, "folder or file with Definitions, whose kinds are described, too")
}

// find returns the kind of that name, its plural or its short name, in either case, among those of the agent and further ones.
func find(name string, further []described) (described, error) {
	var names []string
	for _, d := range append(describedKinds(), further...) {
		if strings.EqualFold(d.gvk.Kind, name) || strings.EqualFold(d.gvk.Kind+"s", name) || d.short != "" && strings.EqualFold(d.short, name) {
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
