package readapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// resource is a kind with its names in the API.
type resource struct {
	manifest.GroupVersionKind
	plural     string
	short      string // "" if there is none
	namespaced bool
}

// shortNames returns the short names of the kind, which kubectl also accepts.
func (r resource) shortNames() []string {
	if r.short != "" {
		return []string{r.short}
	}
	return own[r.GroupVersionKind].short
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
	return resource{GroupVersionKind: gvk, plural: plural, namespaced: !own[gvk].wide}
}

// setDistinctPlurals gives each kind of a group another plural if several kinds would have the same one. So the author of a Definition cannot take the
// plural of another kind. Built-in kinds keep their plurals. Of other kinds, the first in the order of their names keeps the plural.
func setDistinctPlurals(list []resource, kinds []*kind.Kind) {
	builtIn := map[manifest.GroupVersionKind]bool{}
	for _, k := range kinds {
		info := k.Info
		builtIn[manifest.GroupVersionKind{Group: info.Group, Version: info.Version, Kind: info.Kind}] = true
	}
	first := func(r resource) int {
		_, ours := own[r.GroupVersionKind]
		if ours || builtIn[r.GroupVersionKind] {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b resource) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Version, b.Version))
	})
	holder := map[string]string{}
	for i := range list {
		r := &list[i]
		if is, taken := holder[r.definition()]; taken && is != r.Kind {
			r.plural += "-" + checksum.Short(r.Kind)
		}
		holder[r.definition()] = r.Kind
	}
}

// resources returns all kinds that can be read: the API's own kinds, the built-in kinds, and the kinds that revisions define. Built-in kinds of
// the core group are left out, because they contain only data and have no status.
func (s *Store) resources() []resource { return resourcesIn(s.kinds, s.at("").views) }

func resourcesIn(kinds []*kind.Kind, views map[string]view) []resource {
	known, short := map[manifest.GroupVersionKind]bool{}, map[manifest.GroupVersionKind]string{}
	for gvk := range own {
		known[gvk] = true
	}
	for _, k := range kinds {
		if info := k.Info; info.Group != "" {
			gvk := manifest.GroupVersionKind{Group: info.Group, Version: info.Version, Kind: info.Kind}
			known[gvk], short[gvk] = true, info.Short
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
			r := resourceOf(gvk)
			r.short = short[gvk]
			list = append(list, r)
		}
	}
	setDistinctPlurals(list, kinds)
	slices.SortFunc(list, func(a, b resource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.plural, b.plural))
	})
	return list
}
