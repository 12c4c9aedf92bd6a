// Package outdated finds the images and flavors of a stack for which the cloud has newer ones, and the libraries and
// artifacts whose repositories have newer tags. It compares names and times, and says which rule it applied. It does not know what is in an image.
//
// The package is pure: it takes a plan, lists of the cloud and the time.
package outdated

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Rule says why something is outdated.
type Rule string

// The rules. The text is for programs.
const (
	Pattern  Rule = "newest-of-pattern" // the manifest asks for the newest object of a pattern, and users have another one.
	SameName Rule = "same-name"         // another object with the same name was created later.
	Number   Rule = "greater-number"    // a name differs only in its numbers, and the first different one is greater.
	Gone     Rule = "gone"              // no list of the cloud has the object.
	Unusable Rule = "unusable"          // the cloud does not allow new uses of the object.
	Old      Rule = "old"               // the object was created before the time that a person chose.
)

// Version is one object of the cloud, or one tag.
type Version struct {
	Name, ID string
	Created  time.Time // zero if unknown
}

// Newer is a version that is newer by a rule.
type Newer struct {
	Version
	Rule Rule
}

// Item is one thing that a stack uses.
type Item struct {
	Key    manifest.Key // of the manifest; a library has only a kind and a name
	Origin manifest.Origin
	Used   Version
	Newer  []Newer
	State  Rule   // Gone, Unusable, Old, or "" if there is only a newer version.
	Reason string // explains State, for people
	Users  []manifest.Key
}

// Findings are all outdated things of a stack.
type Findings struct {
	Items   []Item
	Unknown []string // the things that could not be compared, for people
}

// Compare finds the outdated images and flavors of a plan. have are the lists that the plan was made from. Objects that were created more than
// age before now are old; with age 0, none is.
func Compare(p plan.Plan, have kind.Snapshot, now time.Time, age time.Duration) Findings {
	c := comparison{now: now, age: age, users: usersOf(p)}
	for _, name := range []string{"Image", "Flavor"} {
		list, listed := have[name]
		c.offers, c.list = map[string]offer{}, list.Items
		for i := range p.Steps {
			s := &p.Steps[i]
			if s.Key.Kind != name || s.Want == nil {
				continue
			}
			if !listed || list.Err != nil {
				c.found.Unknown = append(c.found.Unknown, s.Key.String()+": "+name+" objects could not be listed")
				continue
			}
			c.offer = c.offerFor(s)
			c.object(s)
		}
	}
	return c.found
}

// use is one object that refers to another one, and the ID of the object that it has kept; "" if it has the present one.
type use struct {
	by   manifest.Key
	kept string
}

// usersOf returns the users of each object in a plan.
func usersOf(p plan.Plan) map[manifest.Key][]use {
	users := map[manifest.Key][]use{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Want == nil {
			continue
		}
		for _, ref := range s.Want.Refs {
			if ref.Order {
				continue
			}
			one, kept := use{by: s.Key}, s.Outrun
			if s.Proposed {
				kept = slices.Concat(kept, s.Changes)
			}
			for _, c := range kept {
				if kind.Within(ref.Field, c.Field) || kind.Within(c.Field, ref.Field) {
					one.kept, _ = c.Have.(string)
				}
			}
			users[ref.Key] = append(users[ref.Key], one)
		}
	}
	return users
}

type comparison struct {
	now   time.Time
	age   time.Duration
	users map[manifest.Key][]use
	list  []*kind.Live
	// offers are made of list, by the owner whom manifests name; "" for those that name none.
	offers map[string]offer
	offer  offer // for the present object
	found  Findings
}

// owned is implemented by the states of objects that have an owner, and by import filters that can name one.
type owned interface{ OwnedBy() string }

// offerFor returns the offer for an object.
func (c *comparison) offerFor(s *plan.Step) offer {
	owner := ""
	if s.Want.Import != nil {
		if f, ok := s.Want.Import.Filter.(owned); ok {
			owner = f.OwnedBy()
		}
	}
	o, known := c.offers[owner]
	if !known {
		o = offerOf(s.Key.Kind, owner, c.list)
		c.offers[owner] = o
	}
	return o
}

// object adds the items of one image or flavor: one for the present object, and one for each object that users have kept.
func (c *comparison) object(s *plan.Step) {
	item := Item{Key: s.Key, Origin: s.Origin}
	kept := map[string][]manifest.Key{}
	for _, u := range c.users[s.Key] {
		if u.kept == "" {
			item.Users = append(item.Users, u.by)
		} else {
			kept[u.kept] = append(kept[u.kept], u.by)
		}
	}
	if s.Have != nil {
		for _, id := range slices.Sorted(maps.Keys(kept)) {
			c.add(c.keptItem(s, id, kept[id]))
		}
		item.Used = versionOf(s.Have)
		c.judge(&item, s.Have)
		if s.Want.Unmanaged {
			item.Newer = c.offer.newer(s.Have)
		}
		c.add(item)
		return
	}
	if s.Want.Unmanaged {
		item.State, item.Reason = Gone, s.FullCause()
		c.add(item)
	}
}

// keptItem is about an object that users have kept although the manifest asks for the newest one.
func (c *comparison) keptItem(s *plan.Step, id string, users []manifest.Key) Item {
	item := Item{Key: s.Key, Origin: s.Origin, Users: users, Used: Version{ID: id}, Newer: []Newer{{versionOf(s.Have), Pattern}}}
	if live := c.offer.byID[id]; live != nil {
		item.Used = versionOf(live)
		c.judge(&item, live)
	} else {
		item.State, item.Reason = Gone, "no list has it: it was deleted or hidden, or is no longer shared with the project"
	}
	return item
}

// judge sets the state of an item.
func (c *comparison) judge(item *Item, live *kind.Live) {
	switch {
	case live.Facts.Unusable != "":
		item.State, item.Reason = Unusable, "is "+live.Facts.Unusable
	case !live.Phase.Usable() && live.Phase != kind.Pending && live.Phase != kind.Begun:
		item.State, item.Reason = Unusable, cmp.Or(live.Message, "is "+string(live.Phase))
	case c.age > 0 && !live.Created.IsZero() && c.now.Sub(live.Created) > c.age:
		item.State, item.Reason = Old, "was created on "+live.Created.UTC().Format(time.DateOnly)
	}
}

// add adds an item if it is outdated.
func (c *comparison) add(item Item) {
	if item.State != "" || len(item.Newer) > 0 {
		c.found.Items = append(c.found.Items, item)
	}
}

func versionOf(l *kind.Live) Version { return Version{l.Name, l.ID, l.Created} }
