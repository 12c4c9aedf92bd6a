package service

import (
	"maps"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
)

// roster are the stacks that are to be served, by this agent or another, and those that this one serves now.
type roster struct {
	mu    sync.Mutex
	all   map[string]config.Stack
	here  map[string]*served
	ready map[string]*served // are not served yet, or no more
}

func newRoster() *roster {
	return &roster{all: map[string]config.Stack{}, here: map[string]*served{}, ready: map[string]*served{}}
}

// identity tells a stack from another one of its name.
func identity(s *config.Stack) string { return s.Of() + "\x00" + s.Spec.Source.Path }

// change replaces the stacks. changed are those that were not there, or another one of that name was.
func (r *roster) change(stacks []config.Stack) (changed, gone []config.Stack) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.all
	r.all = map[string]config.Stack{}
	for i := range stacks {
		s := &stacks[i]
		r.all[s.Name] = *s
		if had, known := before[s.Name]; !known || identity(&had) != identity(s) {
			changed = append(changed, *s)
		}
		delete(before, s.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		gone = append(gone, before[name])
	}
	return changed, gone
}

// configured is the configuration of a stack; ok is false when there is none of that name.
func (r *roster) configured(name string) (s config.Stack, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok = r.all[name]
	return s, ok
}

// names are those of all stacks, or of those that were made from one document.
func (r *roster) names(document ...string) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.all)) {
		if s := r.all[name]; len(document) == 0 || s.Of() == document[0] || s.Name == document[0] {
			list = append(list, name)
		}
	}
	return list
}

// at is a stack that is served here.
func (r *roster) at(name string) (s *served, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok = r.here[name]
	return s, ok
}

// serving are all that are served here.
func (r *roster) serving() (list []*served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.here)) {
		list = append(list, r.here[name])
	}
	return list
}

// set notes that a stack is served here; nil for no more.
func (r *roster) set(name string, s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.here[name] = s; s == nil {
		delete(r.here, name)
	}
}

// keep keeps what a stack has until it is taken.
func (r *roster) keep(name string, s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready[name] = s
}

// take is what was kept of a stack; nil for nothing.
func (r *roster) take(name string) *served {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.ready[name]
	delete(r.ready, name)
	return s
}

// kept is all that nobody took.
func (r *roster) kept() []*served {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.ready))
}
