package kind

import (
	"iter"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Index finds objects of a list. It is made once for all stacks that share the list, and each part of it when stacks have needed that
// part a few times (see maxSearches). So the cost of a stack depends on the objects that it owns or asks for, and not on the length of
// the list. All methods return objects in the order of the list. The zero value is the index of an empty list.
type Index struct {
	items                                      []*Live
	ids, names, stacks, users, holders, values part

	// An index with a base has the objects of the base without those in gone, and then the objects in more.
	base *Index
	gone map[*Live]bool
	more []*Live
}

// IndexOf returns the index of a list. Nobody may change the list or its objects after that.
func IndexOf(items []*Live) *Index { return &Index{items: items} }

// part finds the places of objects in a list by a text. Places with the same text are linked, so that an object needs few bytes.
type part struct {
	asked atomic.Int32 // how often objects were searched without the links
	once  sync.Once
	first map[string]int32 // the index of a link plus one
	links []link
}

// link is the place of an object, and the index of the next link with the same text plus one; 0 at the end.
type link struct{ place, next int32 }

// all yields the objects whose texts include the key. textsOf adds the texts of one object.
func (p *part) all(items []*Live, key string, textsOf func(l *Live, add func(text string))) iter.Seq[*Live] {
	if !p.linked(items, textsOf) {
		return search(items, key, textsOf)
	}
	return func(yield func(*Live) bool) {
		for at := p.first[key]; at > 0; at = p.links[at-1].next {
			if !yield(items[p.links[at-1].place]) {
				return
			}
		}
	}
}

// linked makes the links unless only a few objects were searched so far. It reports whether there are links.
func (p *part) linked(items []*Live, textsOf func(l *Live, add func(text string))) bool {
	if p.asked.Load() < maxSearches {
		p.asked.Add(1)
		return false
	}
	p.once.Do(func() {
		p.first, p.links = make(map[string]int32, len(items)), make([]link, 0, len(items))
		for place := len(items) - 1; place >= 0; place-- { // each link is put before the links of later objects
			textsOf(items[place], func(text string) {
				next := p.first[text]
				if next > 0 && p.links[next-1].place == int32(place) {
					return // an object has a text twice
				}
				p.links = append(p.links, link{int32(place), next}) //nolint:gosec // a list has at most 500,000 objects
				p.first[text] = int32(len(p.links))                 //nolint:gosec // as above, and few texts for each
			})
		}
	})
	return true
}

// maxSearches is how often a list is searched before its links are made. To make them takes longer than a few searches, and many lists are
// used by one stack only.
const maxSearches = 8

// search yields the objects whose texts include the key.
func search(items []*Live, key string, textsOf func(l *Live, add func(text string))) iter.Seq[*Live] {
	return func(yield func(*Live) bool) {
		has := false
		is := func(text string) { has = has || text == key }
		for _, l := range items {
			has = false
			if textsOf(l, is); has && !yield(l) {
				return
			}
		}
	}
}

// find yields the objects whose texts include the key, in this index and in its base.
func (x *Index) find(which func(*Index) *part, key string, textsOf func(l *Live, add func(text string))) iter.Seq[*Live] {
	if x.base == nil {
		return which(x).all(x.items, key, textsOf)
	}
	return func(yield func(*Live) bool) {
		for l := range x.base.find(which, key, textsOf) {
			if !x.gone[l] && !yield(l) {
				return
			}
		}
		for l := range search(x.more, key, textsOf) {
			if !yield(l) {
				return
			}
		}
	}
}

// WithID yields the objects with an ID. There are several if entries of clouds.yaml belong to several clouds, or if a page boundary moved
// while the list was read.
func (x *Index) WithID(id string) iter.Seq[*Live] {
	return x.find(func(x *Index) *part { return &x.ids }, id, idOf)
}

func idOf(l *Live, add func(string)) { add(l.ID) }

// First returns the first object with an ID, or nil if there is none. Plans look up each of their objects, so it allocates nothing once there are
// links.
func (x *Index) First(id string) *Live {
	if x.base == nil && x.ids.linked(x.items, idOf) {
		if at := x.ids.first[id]; at > 0 {
			return x.items[x.ids.links[at-1].place]
		}
		return nil
	}
	for l := range x.WithID(id) {
		return l
	}
	return nil
}

// Repeats reports whether an earlier object of the list is the same one, because a page boundary moved.
func (x *Index) Repeats(l *Live) bool {
	first := x.First(l.ID)
	return first != nil && first != l && first.SeenBy(l.Entry) != nil
}

// Named yields the objects with a name.
func (x *Index) Named(name string) iter.Seq[*Live] {
	return x.find(func(x *Index) *part { return &x.names }, name, func(l *Live, add func(string)) { add(l.Name) })
}

// Bearing yields the objects with at least one owner text that begins like those of a stack (see [ownertext.Begin]).
func (x *Index) Bearing(begin string) iter.Seq[*Live] {
	return x.find(func(x *Index) *part { return &x.stacks }, begin, func(l *Live, add func(string)) {
		if l.Mark == nil {
			return
		}
		add(ownertext.BeginOf(l.Mark.Owner))
		for text := range strings.FieldsSeq(l.Mark.Rivals) {
			add(ownertext.BeginOf(text))
		}
	})
}

// Using yields the objects that have the token among their [Live.Uses].
func (x *Index) Using(token string) iter.Seq[*Live] {
	return x.find(func(x *Index) *part { return &x.users }, token, func(l *Live, add func(string)) {
		for _, text := range l.Uses {
			add(text)
		}
	})
}

// Holding yields the objects that have the token among their [Live.Tokens].
func (x *Index) Holding(token string) iter.Seq[*Live] {
	return x.find(func(x *Index) *part { return &x.holders }, token, func(l *Live, add func(string)) {
		for _, text := range l.Tokens {
			add(text)
		}
	})
}

// WithValuesOf yields the objects that have any value of an object, such as an address range of a network (see [ValueToken]).
func (x *Index) WithValuesOf(owner string) iter.Seq[*Live] {
	return x.find(func(x *Index) *part { return &x.values }, owner, func(l *Live, add func(string)) {
		for _, token := range l.Tokens {
			for i, slashes := 0, 0; i < len(token) && slashes < maxSlashes; i++ {
				if token[i] == '/' {
					add(token[:i])
					slashes++
				}
			}
		}
	})
}

// maxSlashes is the maximum number of slashes in the owner of a value. The value itself is a text of the cloud, and may have any number.
const maxSlashes = 4

// maxMore is how many changed objects an index has beside its base. They are found one by one.
const maxMore = 64

// Replaced returns the index of the list without the objects for which gone returns true, but with more at its end. ids has the IDs of all
// objects that may be gone. The cost depends on these objects, besides a copy of the list.
func (x *Index) Replaced(ids []string, gone func(*Live) bool, more []*Live) *Index {
	out := map[*Live]bool{}
	for _, id := range ids {
		for l := range x.WithID(id) {
			if gone(l) {
				out[l] = true
			}
		}
	}
	left := func(of []*Live) []*Live { // with room for more
		rest := make([]*Live, 0, len(of)+len(more))
		for _, l := range of {
			if !out[l] {
				rest = append(rest, l)
			}
		}
		return rest
	}
	items, added := append(left(x.items), more...), append(left(x.more), more...)
	if len(added) > maxMore {
		return IndexOf(items)
	}
	base := x
	if x.base != nil {
		base = x.base
		maps.Copy(out, x.gone)
	}
	return &Index{items: items, base: base, gone: out, more: added}
}

// Items returns the list; nil if x is nil.
func (x *Index) Items() []*Live {
	if x == nil {
		return nil
	}
	return x.items
}

// Indexed returns the index of the items.
func (c Collection) Indexed() *Index {
	x := c.Index
	if x == nil || len(x.items) != len(c.Items) || len(c.Items) > 0 && &x.items[0] != &c.Items[0] {
		return IndexOf(c.Items)
	}
	return x
}
