package readapi

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// removed is what the versions of the items are held by whose stacks were removed. It has no items, and no stack can have its name.
const removed = "\x00"

// About is what a store is told of a stack besides its runs.
type About struct {
	Cloud      string                     // the entry of clouds.yaml
	Repository string                     // its address, and the folder
	Dashboards map[string]string          // where the cloud's own dashboard shows an object, by kind: an address with {id}
	Files      func(commit string) string // where people see the files of a commit, see [Files]; nil for nowhere
	History    string                     // the name of its file in the history; "" for none
}

// Add shows a stack of which no run is known, unless it is shown already.
func (s *Store) Add(name string, about About, now time.Time) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.more[name] = about
	if _, known := s.views[name]; known {
		return
	}
	past := s.Keeps.read(about.History)
	drafts := append([]draft{namespace(name), stack(name, nil, nil)}, eventsOf(name, past, apiVersions(s.kinds))...)
	v, newest := view{since: stamp(now)}.with(drafts, s.version, stamp(now), false)
	v.events = past
	s.show(name, v, newest)
}

// Remove shows a stack and its objects no more. Watches of others go on.
func (s *Store) Remove(name string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.views[name]
	if !known {
		return
	}
	empty, newest := old.with(nil, s.version, old.since, false)
	past := s.views[removed]
	s.views[removed] = view{gone: latest(past.gone, empty.gone), newest: latest(past.newest, empty.newest)}
	delete(s.views, name)
	s.Keeps.forget(s.more[name].History)
	delete(s.more, name)
	delete(s.authors, name)
	s.version = newest
	s.define()
	s.wake()
}

// latest has of each kind the newer of two versions.
func latest(a, b map[manifest.GroupVersionKind]int) map[manifest.GroupVersionKind]int {
	all := maps.Clone(b)
	for gvk, version := range a {
		all[gvk] = max(all[gvk], version)
	}
	return all
}
