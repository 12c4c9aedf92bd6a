package outdated

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// family returns a name with 0 in place of each number, and the numbers. Names with the same family differ only in their numbers. The form has
// no other digit, so each 0 stands for one number.
func family(name string) (form string, numbers []string) {
	var b strings.Builder
	for name != "" {
		n := 0
		for n < len(name) && name[n] >= '0' && name[n] <= '9' {
			n++
		}
		if n == 0 {
			b.WriteByte(name[0])
			name = name[1:]
			continue
		}
		b.WriteByte('0')
		numbers = append(numbers, name[:n])
		name = name[n:]
	}
	return b.String(), numbers
}

// rise returns the position of the first number that differs between two names of a family. ok is true if it is greater in the second one.
func rise(used, other []string) (at int, ok bool) {
	for i := range used {
		a, b := strings.TrimLeft(used[i], "0"), strings.TrimLeft(other[i], "0")
		if a != b {
			return i, natural.Compare(a, b) < 0
		}
	}
	return 0, false
}

// greatest returns, for each position at which a name rises above used, the greatest such name. Later positions come first, because a rise of
// the last number is the smallest change.
func greatest(used string, others []string) []string {
	_, numbers := family(used)
	best := map[int]string{}
	for _, other := range others {
		_, its := family(other)
		at, ok := rise(numbers, its)
		if ok && (best[at] == "" || natural.Compare(best[at], other) < 0) {
			best[at] = other
		}
	}
	var list []string
	for at := len(numbers) - 1; at >= 0; at-- {
		if best[at] != "" {
			list = append(list, best[at])
		}
	}
	return list
}

// offer has the objects of a kind from which new objects can be made.
type offer struct {
	byID     map[string]*kind.Live
	byName   map[string][]*kind.Live // the newest first
	families map[string][]string     // names, by family
}

// offerOf reads a list. Anybody can give an image the name of another one. So an image counts only if it belongs to the owner whom the
// manifest names. Without an owner, it counts if the project owns it or the cloud offers it to everybody.
func offerOf(kindName, owner string, items []*kind.Live) offer {
	counts := func(l *kind.Live) bool {
		switch {
		case kindName != "Image":
			return true
		case owner != "":
			of, known := l.State.(owned)
			return known && of.OwnedBy() == owner
		}
		return l.Facts.Trusted
	}
	o := offer{map[string]*kind.Live{}, map[string][]*kind.Live{}, map[string][]string{}}
	for _, l := range items {
		o.byID[l.ID] = l
		if l.Phase != kind.Ready || l.Facts.Unusable != "" || !counts(l) {
			continue
		}
		if o.byName[l.Name] == nil {
			form, _ := family(l.Name)
			o.families[form] = append(o.families[form], l.Name)
		}
		o.byName[l.Name] = append(o.byName[l.Name], l)
	}
	for _, list := range o.byName {
		slices.SortFunc(list, func(a, b *kind.Live) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID)) })
	}
	return o
}

// newer returns the objects that are newer than one. A flavor must have the same size.
func (o offer) newer(than *kind.Live) (list []Newer) {
	if same := o.byName[than.Name]; len(same) > 0 && same[0].Created.After(than.Created) && !than.Created.IsZero() {
		list = append(list, Newer{versionOf(same[0]), SameName})
	}
	form, numbers := family(than.Name)
	if len(numbers) == 0 {
		return list
	}
	var names []string
	for _, name := range o.families[form] {
		if sized := o.byName[name][0]; sized.Facts.Size.CPUs == 0 || sized.Facts.Size == than.Facts.Size {
			names = append(names, name)
		}
	}
	for _, name := range greatest(than.Name, names) {
		list = append(list, Newer{versionOf(o.byName[name][0]), Number})
	}
	return list
}

// SourceTags compares the tag of a stack's artifact with the other tags of its repository. digest is the artifact of the tag.
func SourceTags(stack, tag, digest string, tags []string) Item {
	item := Item{Key: manifest.Key{Kind: "Source", Name: stack}, Used: Version{Name: tag, ID: digest}}
	form, numbers := family(tag)
	if len(numbers) == 0 {
		return item
	}
	others := slices.DeleteFunc(slices.Clone(tags), func(other string) bool {
		its, _ := family(other)
		return its != form
	})
	for _, other := range greatest(tag, others) {
		item.Newer = append(item.Newer, Newer{Version{Name: other}, Number})
	}
	return item
}

// Tags compares the commit of a library with the tags of its repository, which are names with their commits. ok is false if no tag is at
// that commit. Then nothing can be said.
func Tags(library, commit string, tags map[string]string) (item Item, ok bool) {
	item = Item{Key: manifest.Key{Kind: "Library", Name: library}}
	families, used := map[string][]string{}, map[string]string{} // used has the greatest tag of each family at the commit
	for name, its := range tags {
		form, _ := family(name)
		switch {
		case its != commit:
			families[form] = append(families[form], name)
		case used[form] == "" || natural.Compare(used[form], name) < 0:
			used[form] = name
		}
	}
	at := slices.Collect(maps.Values(used))
	natural.Sort(at)
	for _, name := range at {
		form, _ := family(name)
		newer := greatest(name, families[form])
		if item.Used.Name == "" || len(newer) > 0 {
			item.Used, item.Newer = Version{Name: name, ID: commit}, nil
		}
		for _, other := range newer {
			item.Newer = append(item.Newer, Newer{Version{Name: other, ID: tags[other]}, Number})
		}
	}
	return item, len(at) > 0
}
