package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// The manifest of a group may give two bounds instead of a number of members. Then somebody else, such as an autoscaler, writes the number
// on the object that does the work of the first member (see [kind.Live.WantedReplicas]). If no number is written there, the group keeps the
// members that it has. Only the cloud stores the number, and it can only choose among the numbers that the manifests allow.
//
//	the text on the first member    the number of members
//	------------------------------  ------------------------------------------------------------------------------
//	a number within the bounds      that number
//	a number outside the bounds     the nearest bound
//	no text, or not a number        the position of the last member of which the lists show an object

// Size is the number of members that a group has now, and the reason.
type Size struct {
	Members int
	Why     string
}

// A group may have further members, called spares, while other members are interrupted. Input.Want contains all possible spares. The plan
// is made with as many spares as the group needs now (see [rollout.Decision]). The other spares are treated as if no manifest described
// them, so a spare that exists and is not needed is deleted, which harms nobody.

// OptionalMembers has the spares and scaled members that groups may have.
type OptionalMembers struct {
	Spares  map[manifest.Key][]manifest.Key // the spares of each group, in the order of their numbers.
	Scaled  map[manifest.Key][]manifest.Key // the members of each group above its lower bound, in the same order.
	First   map[manifest.Key]manifest.Key   // the first member, of each group in Scaled, that always exists.
	Least   map[manifest.Key]int            // the number of members, of each group in Scaled, that always exist.
	Owner   map[manifest.Key]manifest.Key   // the member that an object belongs to.
	ByOwner map[string]*kind.Desired        // the objects by their owner texts, also by those of former names.
	ByKey   map[manifest.Key]*kind.Desired
}

// FindOptionalMembers finds the spares and scaled members with their objects. It returns nil if there are none.
func FindOptionalMembers(in Input) *OptionalMembers {
	if !slices.ContainsFunc(in.Want, func(d kind.Desired) bool { return d.Spare || d.Scaled }) {
		return nil
	}
	s := &OptionalMembers{Spares: map[manifest.Key][]manifest.Key{}, Scaled: map[manifest.Key][]manifest.Key{}, First: map[manifest.Key]manifest.Key{}, Least: map[manifest.Key]int{},
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
			s.Spares[d.Parent] = append(s.Spares[d.Parent], d.Key)
		case d.Scaled:
			s.Scaled[d.Parent] = append(s.Scaled[d.Parent], d.Key)
		default:
			if s.Least[d.Parent]++; s.Least[d.Parent] == 1 || natural.Compare(d.Key.Name, s.First[d.Parent].Name) < 0 {
				s.First[d.Parent] = d.Key
			}
		}
	}
	for _, lists := range []map[manifest.Key][]manifest.Key{s.Spares, s.Scaled} {
		for _, members := range lists { // sorted by number, because Want has the order of references
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
	for _, d := range s.ByKey { // an object that refers to a member's object without being its part, such as a DNS name, belongs to the member, too
		for _, ref := range d.Refs {
			if of, ok := s.Owner[ref.Key]; ok && s.Owner[d.Key] == (manifest.Key{}) {
				s.Owner[d.Key] = of
			}
		}
	}
	return s
}

// indexFormer adds the objects to ByOwner by their former names, unless another object has that name now.
func (s *OptionalMembers) indexFormer(stack string) {
	for _, d := range s.ByKey {
		for _, key := range d.From {
			if owner := ownertext.Of(stack, key); s.ByOwner[owner] == nil {
				s.ByOwner[owner] = d
			}
		}
	}
}

// Cut returns the objects of a revision without the spares and scaled members that exceed the numbers of their groups.
func (s *OptionalMembers) Cut(want []kind.Desired, spares map[manifest.Key]int, sizes map[manifest.Key]Size) []kind.Desired {
	if s == nil {
		return want
	}
	in := map[manifest.Key]bool{}
	for group, members := range s.Spares {
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
