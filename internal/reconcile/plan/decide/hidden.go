package decide

import (
	"errors"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// If a kind could not be listed, its objects may use an object that is to be deleted. The latter is neither deleted nor detached before the
// list is known. It is not replaced either if the unlisted kind can refer to it by a fixed reference.

// awaitUsers makes steps wait for unlisted kinds whose objects may use the object of the step.
func (p *planner) awaitUsers() {
	users := p.hiddenUsers()
	if len(users) == 0 {
		return
	}
	for i := range p.steps {
		s := &p.steps[i]
		if !s.Turn.IsZero() || !s.Action.Destroys() && s.Action != plan.Detach {
			continue
		}
		for _, u := range users {
			if u.mayUse(s) {
				s.WaitFor(cause.Of(cause.AllSeen, u.key.Kind), u.key)
				break
			}
		}
	}
}

// hiddenUser is a kind whose objects in an entry are unknown.
type hiddenUser struct {
	key   manifest.Key // the first desired object of the kind in that entry, or a key with only the kind
	entry string
	all   bool            // true if the objects of all other entries are unknown, too
	uses  map[string]bool // see [resolve.UsesOf]
}

// mayUse reports whether a hidden object may use the object that a step destroys or detaches. The entry must show that object, because both
// have to be in the same project.
func (u hiddenUser) mayUse(s *plan.Step) bool {
	fixed, can := u.uses[s.Key.Kind]
	return can && (fixed || s.Action != plan.Recreate) && (u.all || s.Have.SeenBy(u.entry) != nil)
}

func (w worldReader) hiddenUsers() (users []hiddenUser) {
	for _, name := range w.KindNames {
		c := w.Have[name]
		parts := c.Parts
		if c.Err != nil {
			parts = []kind.Shown{{Err: c.Err}}
		}
		for _, part := range parts {
			if key, hides := w.hides(name, part); hides {
				users = append(users, hiddenUser{key, part.Entry, c.Err != nil, resolve.UsesOf(w.KindOf[name])})
			}
		}
	}
	return users
}

// hides reports whether an entry may have objects of a kind that could not be listed. key is the key to wait for. An entry that could not
// log in, or may not list the kind, most likely has none. But it may have some if a manifest describes one there, or if the agent has seen
// an object of the kind.
func (w worldReader) hides(name string, part kind.Shown) (key manifest.Key, hides bool) {
	if part.Err == nil || errors.Is(part.Err, kind.ErrNoService) {
		return key, false
	}
	for i := range w.Want {
		if d := &w.Want[i]; d.Key.Kind == name && d.Entry == part.Entry {
			return d.Key, true
		}
	}
	hides = !part.Closed && !errors.Is(part.Err, kind.ErrForbidden)
	for had := range w.KnownIDs {
		hides = hides || strings.HasPrefix(had, name+"/")
	}
	return manifest.Key{Group: w.APIGroups[name], Kind: name}, hides
}
