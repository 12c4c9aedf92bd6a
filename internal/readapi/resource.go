package readapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// resource is a kind as the API names it.
type resource struct {
	manifest.GroupVersionKind
	plural     string
	namespaced bool
}

func resourceOf(gvk manifest.GroupVersionKind) resource {
	plural := strings.ToLower(gvk.Kind)
	switch {
	case strings.HasSuffix(plural, "ay"), strings.HasSuffix(plural, "ey"):
		plural += "s"
	case strings.HasSuffix(plural, "y"):
		plural = plural[:len(plural)-1] + "ies"
	case strings.HasSuffix(plural, "s"), strings.HasSuffix(plural, "x"), strings.HasSuffix(plural, "ch"):
		plural += "es"
	default:
		plural += "s"
	}
	return resource{gvk, plural, !own[gvk].wide}
}

// resources are all that can be read: the agent's kinds, those that revisions define, and its own.
// The core group's kinds carry data, and have no status to show.
func (s *Store) resources() []resource { return resourcesIn(s.kinds, s.at("").views) }

func resourcesIn(kinds []kind.Kind, views map[string]view) []resource {
	known := map[manifest.GroupVersionKind]bool{}
	for gvk := range own {
		known[gvk] = true
	}
	for _, k := range kinds {
		if info := k.Info(); info.Group != "" {
			known[manifest.GroupVersionKind{Group: info.Group, Version: info.Version, Kind: info.Kind}] = true
		}
	}
	for _, v := range views {
		for gvk := range v.items {
			known[gvk] = known[gvk] || gvk.Group != ""
		}
	}
	var list []resource
	for gvk, shown := range known {
		if shown {
			list = append(list, resourceOf(gvk))
		}
	}
	slices.SortFunc(list, func(a, b resource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.plural, b.plural))
	})
	return list
}
