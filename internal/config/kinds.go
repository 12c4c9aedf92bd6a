package config

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Kind is a kind of the documents in configuration files.
type Kind struct {
	GVK  manifest.GroupVersionKind
	Body manifest.Type // a whole document
	Doc  string
}

// Kinds lists all kinds of configuration.
func Kinds() []Kind {
	return []Kind{
		{GVK, manifest.TypeFor[Body](), "The agent's configuration: one folder of one branch, applied to one cloud project."},
		{PolicyGVK, manifest.TypeFor[PolicyBody](), "A rule of the agent's configuration by which plans are checked."},
		{NotificationGVK, manifest.TypeFor[NotificationBody](), "A rule of the agent's configuration that decides who gets messages about stacks."},
		{AgentsGVK, manifest.TypeFor[AgentsBody](), "A part of the agent's configuration by which several agents share stacks. One agent at a time serves each stack."},
	}
}

// Holds reports whether documents of the kind belong into configuration files.
func Holds(gvk manifest.GroupVersionKind) bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.GVK == gvk })
}

func gvks() (list []manifest.GroupVersionKind) {
	for _, k := range Kinds() {
		list = append(list, k.GVK)
	}
	return list
}
