package readapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
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
	return resource{gvk, plural, gvk != namespaceGVK}
}

// resources are all that can be read: the agent's kinds, those that revisions define, stacks, namespaces and events.
// The core group's kinds carry data, and have no status to show.
func (s *Store) resources() []resource {
	known := map[manifest.GroupVersionKind]bool{stackGVK: true, namespaceGVK: true, eventGVK: true, planGVK: true, passGVK: true}
	for _, k := range s.kinds {
		if info := k.Info(); info.Group != "" {
			known[manifest.GroupVersionKind{Group: info.Group, Version: info.Version, Kind: info.Kind}] = true
		}
	}
	for _, v := range s.at("").views {
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
