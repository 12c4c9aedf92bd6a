package readapi

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

var definitionGVK = manifest.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// everywhere is the key in the views of a [Store] for the items that belong to no stack.
const everywhere = ""

// define adds a definition for each kind that can be read now, and removes other definitions. Most runs add no kinds. The caller must hold the
// lock.
func (s *Store) define() {
	list := resourcesIn(s.kinds, s.views)
	if slices.Equal(list, s.defined) {
		return
	}
	s.views[everywhere], s.version = s.views[everywhere].with(definitions(list), s.version, s.views[everywhere].since, false)
	s.defined = list
}

// definitions returns the CustomResourceDefinitions of the kinds, because some programs show only kinds that have one.
func definitions(list []resource) (drafts []draft) {
	versions := map[string][]string{}
	for _, r := range list {
		versions[r.definition()] = append(versions[r.definition()], r.Version)
	}
	for _, r := range list {
		if all := versions[r.definition()]; r.Group != "" && !own[r.GroupVersionKind].aside && r.Version == all[0] {
			drafts = append(drafts, r.defined(all))
		}
	}
	return drafts
}

// definition returns the name of a resource's definition.
func (r resource) definition() string { return r.plural + "." + r.Group }

func (r resource) defined(versions []string) draft {
	singular := strings.ToLower(r.Kind)
	names := map[string]any{"plural": r.plural, "singular": singular, "kind": r.Kind, "listKind": r.Kind + "List", "categories": categories(r), "shortNames": r.shortNames()}
	var of []any
	for n, version := range versions {
		of = append(of, map[string]any{
			"name": version, "served": true, "storage": n == len(versions)-1, "additionalPrinterColumns": printed,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		})
	}
	established := []status.Condition{{Type: "Established", Status: "True", Reason: "InitialNamesAccepted", Message: "it can be read"}}
	return draft{
		item: item{gvk: definitionGVK, name: r.definition(), cells: clean(r.definition(), r.Kind, "Namespaced")},
		whole: map[string]any{
			"spec":   map[string]any{"group": r.Group, "names": names, "scope": "Namespaced", "versions": of},
			"status": map[string]any{"acceptedNames": names, "storedVersions": versions[len(versions)-1:], "conditions": established},
		}, conditions: established,
	}
}

// printed contains the columns for programs that make tables themselves.
var printed = []any{
	printedColumn("Ready", "string", ".status.ready", 0), printedColumn("State", "string", ".status.state", 0),
	printedColumn("Age", "date", ".metadata.creationTimestamp", 0),
	printedColumn("ID", "string", ".status.id", 1), printedColumn("Message", "string", ".status.message", 1),
}

func printedColumn(name, as, path string, wide int) map[string]any {
	return map[string]any{"name": name, "type": as, "jsonPath": path, "priority": wide}
}
