package service

import (
	"maps"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
)

// roster stores all stacks, which this agent or another agent must serve, and the stacks that this agent serves now.
type roster struct {
	mu         sync.Mutex
	all        map[string]config.Stack
	servedHere map[string]*served
	ready      map[string]*served // prepared stacks that are not served yet, or not any more
}

func newRoster() *roster {
	return &roster{all: map[string]config.Stack{}, servedHere: map[string]*served{}, ready: map[string]*served{}}
}

// identity returns a text that differs between stacks that have the same name but come from different documents or folders.
func identity(s *config.Stack) string { return s.Of() + "\x00" + s.Spec.Source.Path }

// change replaces all stacks. It returns first the new stacks, including those that take over the name of another stack, and then the stacks
// that were removed.
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

// configured returns the configuration of a stack. ok is false if no stack has that name.
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

// servedAs returns a stack that this agent serves.
func (r *roster) servedAs(name string) (s *served, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok = r.servedHere[name]
	return s, ok
}

// serving returns all stacks that this agent serves.
func (r *roster) serving() (list []*served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.servedHere)) {
		list = append(list, r.servedHere[name])
	}
	return list
}

// set records that this agent serves a stack. If s is nil, it does not serve the stack any more.
func (r *roster) set(name string, s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.servedHere[name] = s; s == nil {
		delete(r.servedHere, name)
	}
}

// store stores a prepared stack until take is called.
func (r *roster) store(name string, s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready[name] = s
}

// take removes the stored stack of that name, and returns it, or nil if there is none.
func (r *roster) take(name string) *served {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.ready[name]
	delete(r.ready, name)
	return s
}

// untaken returns the stored stacks that were not taken.
func (r *roster) untaken() []*served {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.ready))
}
