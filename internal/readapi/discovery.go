package readapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// discover lists the API groups. Newer clients get the groups with their whole contents.
func (h *Handler) discover(w http.ResponseWriter, r *http.Request, core bool) {
	const newer = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	list := slices.Concat(h.store.resources(), foreignResources())
	for accepted := range strings.SplitSeq(strings.ReplaceAll(r.Header.Get("Accept"), " ", ""), ",") {
		if accepted == "application/json;"+newer {
			answer(w, http.StatusOK, ";"+newer, aggregated(list, core))
			return
		}
	}
	if core {
		answer(w, http.StatusOK, "", map[string]any{"kind": "APIVersions", "versions": []string{"v1"}})
		return
	}
	answer(w, http.StatusOK, "", groupList(list))
}

// discoverVersion lists the resources of one version of a group.
func (h *Handler) discoverVersion(w http.ResponseWriter, path []string) {
	group, version := "", path[len(path)-1]
	if path[0] == "apis" {
		group = path[1]
	}
	if list := resourceList(slices.Concat(h.store.resources(), foreignResources()), group, version); list != nil {
		answer(w, http.StatusOK, "", list)
		return
	}
	Refuse(w, http.StatusNotFound, "there is no such group or version")
}

var verbs = []string{"get", "list", "watch"}

// verbs returns the verbs of a resource. It returns none for the foreign kinds, which are not served, so that programs do not list them.
func (r resource) verbs() []string {
	if _, is := foreign[r.GroupVersionKind]; is {
		return []string{}
	}
	return verbs
}

func categories(r resource) []string {
	if _, is := foreign[r.GroupVersionKind]; is || r.Group == "" || own[r.GroupVersionKind].aside {
		return nil
	}
	return []string{"all"}
}

// groups returns the names of the API groups, and their resources by version. If core is set, it returns only the core group, and otherwise all
// other groups.
func groups(list []resource, core bool) (names []string, versions map[string]map[string][]resource) {
	versions = map[string]map[string][]resource{}
	for _, r := range list {
		if (r.Group == "") != core {
			continue
		}
		if versions[r.Group] == nil {
			versions[r.Group] = map[string][]resource{}
		}
		versions[r.Group][r.Version] = append(versions[r.Group][r.Version], r)
	}
	return slices.Sorted(maps.Keys(versions)), versions
}

// aggregated returns the discovery document for newer clients, which contains everything in one answer.
func aggregated(list []resource, core bool) map[string]any {
	names, versions := groups(list, core)
	items := []any{}
	for _, group := range names {
		var out []any
		for _, version := range slices.Sorted(maps.Keys(versions[group])) {
			var resources []any
			for _, r := range versions[group][version] {
				scope := "Cluster"
				if r.namespaced {
					scope = "Namespaced"
				}
				resources = append(resources, map[string]any{
					"resource": r.plural, "singularResource": strings.ToLower(r.Kind), "scope": scope, "verbs": r.verbs(), "categories": categories(r), "shortNames": r.shortNames(),
					"responseKind": map[string]any{"group": r.Group, "version": r.Version, "kind": r.Kind},
				})
			}
			out = append(out, map[string]any{"version": version, "freshness": "Current", "resources": resources})
		}
		items = append(items, map[string]any{"metadata": map[string]any{"name": group}, "versions": out})
	}
	return map[string]any{"apiVersion": "apidiscovery.k8s.io/v2", "kind": "APIGroupDiscoveryList", "metadata": map[string]any{}, "items": items}
}

// groupList returns the discovery document for older clients that contains the groups.
func groupList(list []resource) map[string]any {
	names, versions := groups(list, false)
	out := []any{}
	for _, group := range names {
		var of []map[string]any
		for _, version := range slices.Sorted(maps.Keys(versions[group])) {
			of = append(of, map[string]any{"groupVersion": group + "/" + version, "version": version})
		}
		out = append(out, map[string]any{"name": group, "versions": of, "preferredVersion": of[len(of)-1]})
	}
	return map[string]any{"apiVersion": "v1", "kind": "APIGroupList", "groups": out}
}

// resourceList returns the discovery document for older clients that contains the resources of one version. It is nil if there are none.
func resourceList(list []resource, group, version string) map[string]any {
	var out []any
	for _, r := range list {
		if r.Group == group && r.Version == version {
			out = append(out, map[string]any{"name": r.plural, "singularName": strings.ToLower(r.Kind), "namespaced": r.namespaced, "kind": r.Kind, "verbs": r.verbs(), "categories": categories(r), "shortNames": r.shortNames()})
		}
	}
	if out == nil {
		return nil
	}
	return map[string]any{"apiVersion": "v1", "kind": "APIResourceList", "groupVersion": manifest.GroupVersionKind{Group: group, Version: version}.APIVersion(), "resources": out}
}
