package readapi

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// removed is the key in the views of a [Store] for the versions of items whose stacks were removed. Its view has no items, and no stack can
// have this name.
const removed = "\x00"

// About contains the facts about a stack that do not depend on its runs.
type About struct {
	Cloud      string            // the entry of clouds.yaml
	Repository string            // the address, and the folder
	Dashboards map[string]string // by kind: the address of an object in the cloud's dashboard, with {id}.
	Addresses  Addresses         // the addresses of its commits; nil if unknown
	History    string            // the name of its file in [History]; "" if there is none
}

// Add shows a stack before its first run, unless the stack is already shown.
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

// Remove stops showing a stack and its objects. Watches of other stacks are not affected.
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
