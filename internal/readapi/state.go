package readapi

import (
	"iter"
	"maps"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// state is the content of the store at one moment.
type state struct {
	views   map[string]view // the views of the requested stacks
	version int
	changed <-chan struct{}
	closed  bool
}

// at returns the current state of one stack, or of all stacks for "". For a stack that does not exist, it returns the state of the removed
// stacks.
func (s *Store) at(stack string) state {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := state{views: map[string]view{}, version: s.version, changed: s.changed, closed: s.closed}
	if stack != "" {
		if _, known := s.views[stack]; !known {
			stack = removed
		}
		now.views[stack] = s.views[stack]
		return now
	}
	maps.Copy(now.views, s.views)
	return now
}

// all iterates over the items of a kind.
func (now state) all(gvk manifest.GroupVersionKind) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for _, v := range now.views {
			for i := range v.items[gvk] {
				if !yield(&v.items[gvk][i]) {
					return
				}
			}
		}
	}
}

// newest returns the version at which an item of the kind was last changed or deleted.
func (now state) newest(gvk manifest.GroupVersionKind) (version int) {
	for _, v := range now.views {
		version = max(version, v.newest[gvk])
	}
	return version
}

// only returns the part of the state that a watch of a kind must remember. Until it changes, it needs no memory in addition to that of the
// store.
func (now state) only(gvk manifest.GroupVersionKind) state {
	of := state{views: map[string]view{}, version: now.version}
	for name, v := range now.views {
		if v.newest[gvk] > 0 {
			of.views[name] = view{items: map[manifest.GroupVersionKind][]item{gvk: v.items[gvk]}, newest: map[manifest.GroupVersionKind]int{gvk: v.newest[gvk]}}
		}
	}
	return of
}

// differing returns both states without those stacks in which nothing of the kind has changed.
func (now state) differing(later state, gvk manifest.GroupVersionKind) (before, after state) {
	before, after = state{views: map[string]view{}, version: now.version}, state{views: map[string]view{}, version: later.version}
	for name, was := range now.views {
		if _, there := later.views[name]; !there {
			before.views[name] = was
		}
	}
	for name, v := range later.views {
		if was := now.views[name]; was.newest[gvk] != v.newest[gvk] {
			before.views[name], after.views[name] = was, v
		}
	}
	return before, after
}

// deletedVersion returns the version at which an item of the kind was last deleted. If that is no longer stored, it returns a later version.
func (now state) deletedVersion(gvk manifest.GroupVersionKind) (version int) {
	for _, v := range now.views {
		at, known := v.gone[gvk]
		if !known {
			at = v.lost
		}
		version = max(version, at)
	}
	return version
}
