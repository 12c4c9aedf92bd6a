package readapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// resource is a kind with the names that the API gives it.
type resource struct {
	manifest.GroupVersionKind
	plural     string
	short      string // "" for none
	namespaced bool
}

// shortNames are the short names by which kubectl knows the kind, too.
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

// apart gives each kind of a group its own plural if several would have the same one. So the author of a Definition cannot take the plural of
// another kind. The agent's own kinds keep theirs. Of other kinds, the first in the order of their names keeps it.
func apart(list []resource, kinds []*kind.Kind) {
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

// resources are all kinds that can be read: the agent's kinds, the kinds that revisions define, and the API's own.
// The core group's kinds carry data and have no status to show.
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
	apart(list, kinds)
	slices.SortFunc(list, func(a, b resource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.plural, b.plural))
	})
	return list
}
