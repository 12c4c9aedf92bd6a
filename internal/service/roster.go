package service

import (
	"maps"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
)

// roster holds the stacks that are to be served, by this agent or another, and those that this one serves now.
type roster struct {
	mu    sync.Mutex
	all   map[string]config.Stack
	here  map[string]*served
	ready map[string]*served // not served yet, or no longer
}

func newRoster() *roster {
	return &roster{all: map[string]config.Stack{}, here: map[string]*served{}, ready: map[string]*served{}}
}

// identity distinguishes a stack from another stack with its name.
func identity(s *config.Stack) string { return s.Of() + "\x00" + s.Spec.Source.Path }

// change replaces the stacks. changed are the new ones, and those whose name belonged to another stack before.
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

// configured is the configuration of a stack. ok is false when there is none of that name.
func (r *roster) configured(name string) (s config.Stack, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok = r.all[name]
	return s, ok
}

// names returns the names of all stacks, or of the stacks that were made from one document.
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

// at returns a stack that is served here.
func (r *roster) at(name string) (s *served, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok = r.here[name]
	return s, ok
}

// serving returns all stacks that are served here.
func (r *roster) serving() (list []*served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.here)) {
		list = append(list, r.here[name])
	}
	return list
}

// set records that a stack is served here; nil means no longer.
func (r *roster) set(name string, s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.here[name] = s; s == nil {
		delete(r.here, name)
	}
}

// keep keeps a stack's resources until take.
func (r *roster) keep(name string, s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready[name] = s
}

// take returns what was kept of a stack; nil for nothing.
func (r *roster) take(name string) *served {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.ready[name]
	delete(r.ready, name)
	return s
}

// kept returns everything that was not taken.
func (r *roster) kept() []*served {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.ready))
}
