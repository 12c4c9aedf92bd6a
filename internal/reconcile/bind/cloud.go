// Package bind finds the objects of the cloud that have the owner marks of a stack, and the right object if several have the same mark. It
// does not use manifests, and does not decide what is done with an object.
package bind

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Live is an object in the cloud, of any kind.
type Live = kind.Live

// Cloud is the content of a snapshot, sorted by ID, by name and by owner mark. It never changes. Its cost depends on the objects that bear
// the stack's marks, because the index of a list is shared (see [kind.Index]).
type Cloud struct {
	have        kind.Snapshot
	marks       string                 // the beginning of the stack's owner texts
	collections map[string]*Collection // by kind name
	users       map[string][]*Live     // objects with a mark of the stack, by the tokens that they use
}

// Collection contains the cloud's objects of one kind.
type Collection struct {
	list *kind.Index
	// owners are the claims of objects in the stack's own project, by owner text. inOtherProjects are the claims of objects in
	// other projects, for kinds whose manifests may name projects.
	owners, inOtherProjects map[string]*Claims
	misplaced               []Misplaced
}

// Misplaced is an object that has a mark of the stack for another kind.
type Misplaced struct {
	Item  *Live
	Text  string // text of the mark
	Owner ownertext.Owner
}

// NewCloud returns the content of a snapshot, sorted by the marks of a stack.
func NewCloud(have kind.Snapshot, stack string) *Cloud {
	marks := ownertext.Begin(stack)
	c := &Cloud{have: have, marks: marks, collections: make(map[string]*Collection, len(have)), users: map[string][]*Live{}}
	for _, name := range slices.Sorted(maps.Keys(have)) { // plans name users in this order
		c.collections[name] = c.sorted(name, have[name].Indexed(), marks)
	}
	return c
}

// sorted sorts the objects of a kind that bear marks of the stack. One thing in the cloud may appear in the collections of two kinds: a
// router's interface is also a port. The stack owns the thing only in the collection of the kind that its mark names.
func (c *Cloud) sorted(kindName string, list *kind.Index, marks string) *Collection {
	x := &Collection{list: list, owners: map[string]*Claims{}, inOtherProjects: map[string]*Claims{}}
	for item := range list.Bearing(marks) {
		if list.Repeats(item) {
			continue // the list contains the object twice, because a page boundary moved
		}
		if x.addClaim(kindName, item, marks) {
			for _, token := range item.Uses {
				c.users[token] = append(c.users[token], item)
			}
		}
	}
	return x
}

// addClaim records an object under each of its owners that begins with marks, the prefix of the stack's marks; under x.misplaced if the
// owner has another kind. It reports whether an owner has this kind.
func (x *Collection) addClaim(kindName string, item *Live, marks string) (any bool) {
	owners := x.owners
	if !item.InOwnProject {
		owners = x.inOtherProjects
	}
	if !item.InOwnProject && (!item.Guarded || item.Project == "") {
		return false
	}
	for _, text := range item.Mark.Owners() {
		if !strings.HasPrefix(text, marks) {
			continue // mostly marks of other stacks
		}
		o, ok := ownertext.Parse(text)
		switch {
		case !ok || o.Kind == item.AlsoListedAs:
			continue
		case o.Kind != kindName && !item.InOwnProject:
			continue
		case o.Kind != kindName:
			x.misplaced = append(x.misplaced, Misplaced{item, text, o})
			continue
		case owners[text] == nil:
			owners[text] = &Claims{}
		}
		any = true
		owners[text].add(item)
	}
	return any
}

// Collection returns the collection of a kind; nil if the kind was not listed. It is empty if the list failed.
func (c *Cloud) Collection(kindName string) *Collection { return c.collections[kindName] }

// UsersOf returns the objects with a mark of the stack that use an object.
func (c *Cloud) UsersOf(l *Live) []*Live {
	users := slices.Clone(c.users[l.ID])
	for _, token := range l.Tokens {
		users = append(users, c.users[token]...)
	}
	return users
}

// KindOf returns the kind of an object that UsersOf has returned.
func (c *Cloud) KindOf(user *Live) string {
	for name, x := range c.collections {
		for l := range x.list.WithID(user.ID) {
			if l == user {
				return name
			}
		}
	}
	return ""
}

// Claimed returns the objects of a kind in the stack's own project that have an owner text.
func (c *Cloud) Claimed(kindName, owner string) Claims {
	if x := c.collections[kindName]; x != nil && x.owners[owner] != nil {
		return *x.owners[owner]
	}
	return Claims{}
}

// ClaimedIn returns the objects of a kind in another project that have an owner text.
func (c *Cloud) ClaimedIn(project, kindName, owner string) Claims {
	if x := c.collections[kindName]; x != nil && x.inOtherProjects[owner] != nil && project != "" {
		return x.inOtherProjects[owner].within(project)
	}
	return Claims{}
}

// Owned counts the stack's objects by kind. Limits that are percentages refer to these numbers. Several objects with the same mark count
// once. An object that no manifest wants does not count if its mark keeps it, or if it is in another project. Anyone with access to that
// project can write any number of marks.
func (c *Cloud) Owned(wanted func(owner string) bool) map[string]int {
	counts := map[string]int{}
	for name, x := range c.collections {
		for owner, claims := range x.owners {
			if slices.ContainsFunc(claims.Sole, func(l *Live) bool { return !l.Mark.Keep || wanted(owner) }) {
				counts[name]++
			}
		}
		for owner, claims := range x.inOtherProjects {
			if len(claims.Sole) > 0 && x.owners[owner] == nil && wanted(owner) {
				counts[name]++
			}
		}
	}
	return counts
}

// Find returns the object with the ID if the credentials of the entry of clouds.yaml can see it, and nil if not.
func (x *Collection) Find(id, entry string) *Live {
	for item := range x.list.WithID(id) {
		if item.SeenBy(entry) != nil {
			return item
		}
	}
	return nil
}

// WithID returns the first object with an ID, no matter which entry shows it, or nil if there is none.
func (x *Collection) WithID(id string) *Live { return x.list.First(id) }

// WithName returns the objects with a name, no matter who owns them.
func (x *Collection) WithName(name string) (named []*Live) {
	for item := range x.list.Named(name) {
		if !x.list.Repeats(item) {
			named = append(named, item)
		}
	}
	return named
}

// WithToken yields the objects with a token, no matter who owns them (see [kind.Live.Tokens]).
func (x *Collection) WithToken(token string) iter.Seq[*Live] { return x.list.Holding(token) }

// WithValuesOf yields the objects that have any value of an object, no matter who owns them.
func (x *Collection) WithValuesOf(owner string) iter.Seq[*Live] { return x.list.WithValuesOf(owner) }

// All yields all objects with an ID, also repeated ones.
func (x *Collection) All(id string) iter.Seq[*Live] { return x.list.WithID(id) }

// Bearing yields the objects that bear an owner text of the stack, whatever else it says.
func (c *Cloud) Bearing(kindName string) iter.Seq[*Live] {
	return c.collections[kindName].list.Bearing(c.marks)
}

// Misplaced returns the objects that have a mark of the stack for another kind.
func (x *Collection) Misplaced() []Misplaced { return x.misplaced }

// ToDecide yields the claims, by owner text, that a plan must decide about even if no manifest wants the object. These are the claims in the
// stack's own project, and in every other project that the stack reaches. They are yielded per project, because a mark in one project says
// nothing about objects in another one.
func (x *Collection) ToDecide(reached func(project string) bool) iter.Seq2[string, Claims] {
	return func(yield func(string, Claims) bool) {
		for owner, c := range x.owners {
			if !yield(owner, *c) {
				return
			}
		}
		for owner, c := range x.inOtherProjects {
			for project := range c.projects() {
				if reached(project) && !yield(owner, c.within(project)) {
					return
				}
			}
		}
	}
}

// InOtherProjects yields the objects in other projects that have a mark of the stack, in the order of the owner texts.
func (x *Collection) InOtherProjects() iter.Seq2[string, *Live] {
	return func(yield func(string, *Live) bool) {
		for _, owner := range slices.Sorted(maps.Keys(x.inOtherProjects)) {
			for _, l := range x.inOtherProjects[owner].All() {
				if !yield(owner, l) {
					return
				}
			}
		}
	}
}

// Marked yields the objects in the stack's own project that have one of its marks.
func (x *Collection) Marked() iter.Seq[*Live] {
	return func(yield func(*Live) bool) {
		for _, c := range x.owners {
			for _, l := range c.All() {
				if !yield(l) {
					return
				}
			}
		}
	}
}
