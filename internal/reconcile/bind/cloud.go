// Package bind knows which objects of the cloud bear which owner marks of a stack, and which one is meant where several bear the
// same mark. It knows nothing of manifests and decides nothing about what is done with an object.
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

// Cloud is what a snapshot holds, sorted by ID, by name and by owner mark. Nothing changes it once it is made.
type Cloud struct {
	have        kind.Snapshot
	collections map[string]*Collection // by kind name
	users       map[string][]*Live     // objects with a mark of the stack, by the tokens that they use
	userKinds   map[*Live]string       // the kind of each of these
}

// Collection is what the cloud holds of one kind.
type Collection struct {
	byID   map[string]*Live
	twins  map[string][]*Live // further objects of an ID, where entries of clouds.yaml are of several clouds
	byName map[string][]*Live
	// owners are the claims of objects in the stack's own project, by owner text; elsewhere are those of objects in other
	// projects, of a kind whose manifests may name them.
	owners, elsewhere map[string]*Claims
	misplaced         []Misplaced
}

// Misplaced is an object that bears a mark of the stack for another kind.
type Misplaced struct {
	Item  *Live
	Text  string // of the mark
	Owner ownertext.Owner
}

// In sorts what a snapshot holds by the marks of a stack.
func In(have kind.Snapshot, stack string) *Cloud {
	c := &Cloud{have: have, collections: make(map[string]*Collection, len(have)), users: map[string][]*Live{}, userKinds: map[*Live]string{}}
	marks := ownertext.Begin(stack)
	for _, name := range slices.Sorted(maps.Keys(have)) { // users are named in this order
		c.collections[name] = c.sorted(name, have[name].Items, marks)
	}
	return c
}

// sorted finds what is where in the collection of a kind. One thing in the cloud may show in the collections of two kinds (a
// router's interface is a port); it is owned where its mark says so, and nowhere else.
func (c *Cloud) sorted(kindName string, items []Live, marks string) *Collection {
	x := &Collection{byID: make(map[string]*Live, len(items)), byName: make(map[string][]*Live, len(items)), owners: map[string]*Claims{}, elsewhere: map[string]*Claims{}}
	for i := range items {
		item := &items[i]
		switch first := x.byID[item.ID]; {
		case first == nil:
			x.byID[item.ID] = item
		case first.As(item.Through) != nil:
			continue // a page boundary that moved shows an object twice
		default:
			if x.twins == nil {
				x.twins = map[string][]*Live{}
			}
			x.twins[item.ID] = append(x.twins[item.ID], item)
		}
		x.byName[item.Name] = append(x.byName[item.Name], item)
		if x.claim(kindName, item, marks) {
			for _, token := range item.Uses {
				c.users[token] = append(c.users[token], item)
				c.userKinds[item] = kindName
			}
		}
	}
	return x
}

// claim sorts an object in by those of its marks that begin as the stack's do, and reports whether it bears one for this kind.
func (x *Collection) claim(kindName string, item *Live, marks string) (any bool) {
	owners := x.owners
	if !item.InOwnProject {
		owners = x.elsewhere
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

// Of is the collection of a kind; nil where it was not asked for. What cannot be listed has an empty one.
func (c *Cloud) Of(kindName string) *Collection { return c.collections[kindName] }

// UsersOf are the objects with a mark of the stack that use an object.
func (c *Cloud) UsersOf(l *Live) []*Live {
	users := slices.Clone(c.users[l.ID])
	for _, token := range l.Tokens {
		users = append(users, c.users[token]...)
	}
	return users
}

// KindOf is the kind of an object that uses another one.
func (c *Cloud) KindOf(user *Live) string { return c.userKinds[user] }

// Claimed are the objects of a kind in the stack's own project that bear an owner text.
func (c *Cloud) Claimed(kindName, owner string) Claims {
	if x := c.collections[kindName]; x != nil && x.owners[owner] != nil {
		return *x.owners[owner]
	}
	return Claims{}
}

// ClaimedIn are the objects of a kind in another project that bear an owner text.
func (c *Cloud) ClaimedIn(project, kindName, owner string) Claims {
	if x := c.collections[kindName]; x != nil && x.elsewhere[owner] != nil && project != "" {
		return x.elsewhere[owner].within(project)
	}
	return Claims{}
}

// Owned counts the objects that limits are shares of, by kind. Further objects with one mark do not count, nor does what no manifest
// wants and its mark keeps, nor what no manifest wants in another project: anyone who has the project can write as many as they like.
func (c *Cloud) Owned(wanted func(owner string) bool) map[string]int {
	counts := map[string]int{}
	for name, x := range c.collections {
		for owner, claims := range x.owners {
			if slices.ContainsFunc(claims.Sole, func(l *Live) bool { return !l.Mark.Keep || wanted(owner) }) {
				counts[name]++
			}
		}
		for owner, claims := range x.elsewhere {
			if len(claims.Sole) > 0 && x.owners[owner] == nil && wanted(owner) {
				counts[name]++
			}
		}
	}
	return counts
}

// Find is the object of an ID that an entry of clouds.yaml shows; nil for none.
func (x *Collection) Find(id, entry string) *Live {
	if item := x.byID[id]; item != nil && item.As(entry) != nil {
		return item
	}
	for _, item := range x.twins[id] {
		if item.As(entry) != nil {
			return item
		}
	}
	return nil
}

// WithID is the first object of an ID, whichever entry shows it; nil for none.
func (x *Collection) WithID(id string) *Live { return x.byID[id] }

// Named are the objects of a name, whoever owns them.
func (x *Collection) Named(name string) []*Live { return x.byName[name] }

// Misplaced are the objects that bear a mark of the stack for another kind.
func (x *Collection) Misplaced() []Misplaced { return x.misplaced }

// Known yields, by owner text, the claims that are judged where no manifest wants the object: those in the stack's own project, and
// those in each of the others that the stack has to do with. A mark in one says nothing of what is in another.
func (x *Collection) Known(reached func(project string) bool) iter.Seq2[string, Claims] {
	return func(yield func(string, Claims) bool) {
		for owner, c := range x.owners {
			if !yield(owner, *c) {
				return
			}
		}
		for owner, c := range x.elsewhere {
			for project := range c.projects() {
				if reached(project) && !yield(owner, c.within(project)) {
					return
				}
			}
		}
	}
}

// Elsewhere yields the objects in other projects that bear a mark of the stack, in the order of the owner texts.
func (x *Collection) Elsewhere() iter.Seq2[string, *Live] {
	return func(yield func(string, *Live) bool) {
		for _, owner := range slices.Sorted(maps.Keys(x.elsewhere)) {
			for _, l := range x.elsewhere[owner].All() {
				if !yield(owner, l) {
					return
				}
			}
		}
	}
}

// Marked yields the objects in the stack's own project that bear one of its marks.
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
