package readapi

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// removed is the key in [Store] views that holds the versions of items whose stacks were removed. It has no items, and no stack can have
// this name.
const removed = "\x00"

// About holds what a store knows of a stack besides its runs.
type About struct {
	Cloud      string            // the entry of clouds.yaml
	Repository string            // its address, and the folder
	Dashboards map[string]string // by kind: an object's address in the cloud's dashboard, with {id}.
	Addresses  Addresses         // of its commits; nil when unknown
	History    string            // the name of its file in [History]; "" for none
}

// Add shows a stack without any run yet, unless it is shown already.
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

// Remove stops showing a stack and its objects. Watches of other stacks go on.
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

// latest returns the newer of two versions for each kind.
func latest(a, b map[manifest.GroupVersionKind]int) map[manifest.GroupVersionKind]int {
	all := maps.Clone(b)
	for gvk, version := range a {
		all[gvk] = max(all[gvk], version)
	}
	return all
}
