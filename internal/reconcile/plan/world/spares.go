package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// A group may leave its number of members open, between two bounds. Somebody else then sets the number, on the object that does the work of the first
// member (see [kind.Live.WantedReplicas]). Without it, the group keeps the members that it has. So only the cloud remembers the number.
// It is a wish: it chooses among the numbers that the manifests allow.
//
//	what is written               members                    of which the lists show something
//	----------------------------  ------------------------------------------------------------
//	a number within the bounds    so many
//	a number beyond them          the nearest bound
//	nothing, or no number         those that are there, and those before them

// Size is how many members a group has now, and why.
type Size struct {
	Members int
	Why     string
}

// A group may have further members while others are interrupted: spares. The manifests come with all possible spares. The plan is made with
// as many as the group needs now (see [rollout.Decision]). The others count as if no manifest had them: a spare that exists and is not
// needed is deleted, which harms nobody.

// Further are the further members that groups may have.
type Further struct {
	Members map[manifest.Key][]manifest.Key // the spares of each group, in the order of their numbers.
	Scaled  map[manifest.Key][]manifest.Key // the members of each group above its lower bound, in the same order.
	First   map[manifest.Key]manifest.Key   // of each such group, the first member that always exists.
	Least   map[manifest.Key]int            // of each such group, the number of members that always exist.
	Owner   map[manifest.Key]manifest.Key   // the member that an object belongs to.
	ByOwner map[string]*kind.Desired        // the object of an owner text, also of a former name.
	ByKey   map[manifest.Key]*kind.Desired
}

// FurtherOf finds what belongs to spares; nil where there are none.
func FurtherOf(in Input) *Further {
	if !slices.ContainsFunc(in.Want, func(d kind.Desired) bool { return d.Spare || d.Scaled }) {
		return nil
	}
	s := &Further{Members: map[manifest.Key][]manifest.Key{}, Scaled: map[manifest.Key][]manifest.Key{}, First: map[manifest.Key]manifest.Key{}, Least: map[manifest.Key]int{},
		Owner: map[manifest.Key]manifest.Key{}, ByOwner: map[string]*kind.Desired{}, ByKey: map[manifest.Key]*kind.Desired{}}
	members := map[string]string{}
	for _, k := range in.Kinds {
		members[k.Info.Kind] = k.Group.Members
	}
	for i := range in.Want {
		d := &in.Want[i]
		member := members[d.Parent.Kind] == d.Key.Kind
		if d.Spare || d.Scaled {
			s.ByKey[d.Key], s.ByOwner[ownertext.Of(in.Stack, d.Key)] = d, d
		}
		switch {
		case !member:
		case d.Spare:
			s.Members[d.Parent] = append(s.Members[d.Parent], d.Key)
		case d.Scaled:
			s.Scaled[d.Parent] = append(s.Scaled[d.Parent], d.Key)
		default:
			if s.Least[d.Parent]++; s.Least[d.Parent] == 1 || natural.Compare(d.Key.Name, s.First[d.Parent].Name) < 0 {
				s.First[d.Parent] = d.Key
			}
		}
	}
	for _, lists := range []map[manifest.Key][]manifest.Key{s.Members, s.Scaled} {
		for _, members := range lists { // found in the order of references
			slices.SortFunc(members, func(a, b manifest.Key) int { return natural.Compare(a.Name, b.Name) })
		}
	}
	s.indexFormer(in.Stack)
	for _, d := range s.ByKey {
		member := d
		for member != nil && members[member.Parent.Kind] != member.Key.Kind {
			member = s.ByKey[member.Parent]
		}
		if member != nil {
			s.Owner[d.Key] = member.Key
		}
	}
	for _, d := range s.ByKey { // what goes with a member and is not of it, such as its name
		for _, ref := range d.Refs {
			if of, ok := s.Owner[ref.Key]; ok && s.Owner[d.Key] == (manifest.Key{}) {
				s.Owner[d.Key] = of
			}
		}
	}
	return s
}

// indexFormer adds what was called otherwise, where nothing else is called so now.
func (s *Further) indexFormer(stack string) {
	for _, d := range s.ByKey {
		for _, key := range d.From {
			if owner := ownertext.Of(stack, key); s.ByOwner[owner] == nil {
				s.ByOwner[owner] = d
			}
		}
	}
}

// Cut leaves out of the objects of a revision those spares and scaled members that are more than so many of their group.
func (s *Further) Cut(want []kind.Desired, spares map[manifest.Key]int, sizes map[manifest.Key]Size) []kind.Desired {
	if s == nil {
		return want
	}
	in := map[manifest.Key]bool{}
	for group, members := range s.Members {
		for i, member := range members {
			in[member] = i < spares[group]
		}
	}
	for group, members := range s.Scaled {
		for i, member := range members {
			in[member] = s.Least[group]+i < sizes[group].Members
		}
	}
	out := make([]kind.Desired, 0, len(want))
	for i := range want {
		if d := &want[i]; !d.Spare && !d.Scaled || in[s.Owner[d.Key]] {
			out = append(out, *d)
		}
	}
	return out
}
