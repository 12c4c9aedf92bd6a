package guard

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Chosen are the objects of a limited plan. A nil Chosen limits nothing.
type Chosen struct {
	keys  map[manifest.Key]bool
	limit plan.Limit
}

// Choose returns the objects to which targets limit a plan; nil if there are no targets. These are the named objects with all of their
// parts, and the objects without which they cannot be changed:
//
//	the chosen object                 is chosen, too
//	--------------------------------  ------------------------------------------------------------
//	waits for another object          that object
//	refers to an object               that object, if it does not exist yet
//	is deleted, replaced or detached  each user that is written, and each user that needs its new ID
//
// If a target names no object, none is chosen. Choose is called for the first plan of a pass, so that later rounds change no other objects.
func Choose(p plan.Plan, targets []plan.Target) *Chosen {
	if len(targets) == 0 {
		return nil
	}
	c := choice{tree: treeOf(p), chosen: map[manifest.Key]bool{}}
	var limit plan.Limit
	for _, t := range targets {
		limit.Targets = append(limit.Targets, t.String())
		if !c.name(t) {
			limit.Missing = append(limit.Missing, t.String())
		}
	}
	slices.Sort(limit.Targets)
	limit.Targets = slices.Compact(limit.Targets)
	if len(limit.Missing) > 0 {
		return &Chosen{limit: limit}
	}
	c.needs()
	return &Chosen{c.chosen, limit}
}

// Limit is the policy that leaves out the steps of all objects that are not chosen.
func (c *Chosen) Limit(p plan.Plan) plan.Plan {
	if c == nil {
		return p
	}
	p = p.MapSteps(func(s plan.Step) plan.Step {
		if c.keys[s.Key] {
			return s
		}
		return s.Leaving()
	})
	p.Failing = slices.DeleteFunc(slices.Clone(p.Failing), func(f plan.Failing) bool { return !c.keys[f.Group] })
	p.Limit = &c.limit
	return p
}

// tree has the steps of a plan by their keys and by their relations.
type tree struct {
	steps map[manifest.Key][]*plan.Step
	// parts has, for each object, the keys of the objects that were expanded from it, of its former members, and of the parts of these. users has, for
	// each token (see [kind.Live]), the steps of the objects that use it.
	parts map[manifest.Key][]manifest.Key
	users map[string][]*plan.Step
	// after has, for each object, the steps of the objects that refer to it and need its new ID.
	after map[manifest.Key][]*plan.Step
	all   []manifest.Key
}

func treeOf(p plan.Plan) tree {
	t := tree{steps: map[manifest.Key][]*plan.Step{}, parts: map[manifest.Key][]manifest.Key{}, users: map[string][]*plan.Step{}, after: map[manifest.Key][]*plan.Step{}}
	add := func(key manifest.Key, parents ...manifest.Key) {
		t.all = append(t.all, key)
		for _, parent := range parents {
			if parent != (manifest.Key{}) {
				t.parts[parent] = append(t.parts[parent], key)
			}
		}
	}
	for _, w := range p.Workloads {
		add(w.Key, w.Parent)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		add(s.Key, s.Parent, s.Within)
		t.steps[s.Key] = append(t.steps[s.Key], s)
		if s.Have != nil {
			for _, token := range s.Have.Uses {
				t.users[token] = append(t.users[token], s)
			}
		}
		if s.Want != nil && s.FollowsReference {
			for _, ref := range s.Want.Refs {
				t.after[ref.Key] = append(t.after[ref.Key], s)
			}
		}
	}
	return t
}

// choice is the set of the objects that are chosen so far.
type choice struct {
	tree
	chosen map[manifest.Key]bool
	queue  []manifest.Key // chosen objects whose needs are not chosen yet
}

func (c *choice) add(keys ...manifest.Key) {
	for _, key := range keys {
		if !c.chosen[key] {
			c.chosen[key] = true
			c.queue = append(c.queue, key)
		}
	}
}

// name chooses the objects that a target names, with their parts. It returns false if there are none.
func (c *choice) name(t plan.Target) (some bool) {
	var named []manifest.Key
	for _, key := range c.all {
		if t.Names(key) {
			named = append(named, key)
		}
	}
	seen := map[manifest.Key]bool{}
	for todo := named; len(todo) > 0; todo = todo[1:] {
		if key := todo[0]; !seen[key] {
			seen[key] = true
			c.add(key)
			todo = append(todo, c.parts[key]...)
		}
	}
	return len(named) > 0
}

// needs chooses the objects without which the chosen ones cannot be changed.
func (c *choice) needs() {
	for ; len(c.queue) > 0; c.queue = c.queue[1:] {
		for _, s := range c.steps[c.queue[0]] {
			c.add(s.Awaits...)
			c.missing(s)
			c.released(s)
		}
	}
}

// missing chooses the objects that the object of a step refers to and that do not exist yet.
func (c *choice) missing(s *plan.Step) {
	if s.Want == nil || !s.Action.Writes() {
		return
	}
	for _, ref := range s.Want.Refs {
		for _, to := range c.steps[ref.Key] {
			if to.Action == plan.Create {
				c.add(ref.Key)
			}
		}
	}
}

// released chooses the users of an object that is about to go.
func (c *choice) released(s *plan.Step) {
	if s.Have == nil || !s.Action.Destroys() && s.Action != plan.Detach {
		return
	}
	for _, token := range append([]string{s.Have.ID}, s.Have.Tokens...) {
		for _, user := range c.users[token] {
			if user.Action.Writes() {
				c.add(user.Key)
			}
		}
	}
	for _, user := range c.after[s.Key] {
		c.add(user.Key)
	}
}
