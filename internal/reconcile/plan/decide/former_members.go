package decide

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// findFormerMembers finds objects whose manifests are gone because their groups have fewer members now. It records the group and the member that
// each object was a part of. The name of an object shows that:
//
//	the name              the object
//	-------------------   ---------------------------------------------------------------------
//	GROUP-NUMBER          a former member
//	GROUP-NUMBER-SUFFIX   a part of a former member, if present members have a part with that suffix
//	GROUP-spare-NUMBER…   a spare that the group no longer allows, or a part of such a spare
//
// GROUP is the present or a former name of the group. findFormerMembers leaves out spares that the group allows but does not need now, because they have
// been drained already.
func (p *planner) findFormerMembers() {
	var groups []*kind.Desired
	members := map[manifest.Key]*kind.Desired{} // one member of each group
	for i := range p.steps {
		s := &p.steps[i]
		if s.Want != nil || s.Surplus || s.Spare {
			continue
		}
		if groups == nil {
			if groups = p.groupsWith(members); len(groups) == 0 {
				return
			}
		}
		for _, group := range groups {
			if name, was := p.memberName(s.Key, group, members[group.Key], ""); was {
				p.setFormerGroup(s, group, name)
			} else if name, was := p.memberName(s.Key, group, members[group.Key], kind.SparePrefix); was && s.Within == (manifest.Key{}) {
				p.setFormerGroup(s, group, name)
			}
		}
	}
}

// setFormerGroup records the member and the group that an object was a part of.
func (p *planner) setFormerGroup(s *plan.Step, group *kind.Desired, member string) {
	of := p.KindOf[group.Key.Kind].Group.Members
	if s.Action == plan.Delete && s.Causes.Is(cause.Gone) {
		s.Causes = cause.List{cause.Of(cause.FewerMembers, group.Key)}
	}
	s.Within, p.formerMemberOf[s.Have] = group.Key, manifest.Key{Group: p.APIGroups[of], Kind: of, Namespace: s.Key.Namespace, Name: member}
}

// groupsWith finds the groups of the stack, and adds a member of each to members.
func (w worldReader) groupsWith(members map[manifest.Key]*kind.Desired) (groups []*kind.Desired) {
	for i := range w.Want {
		d := &w.Want[i]
		if k := w.KindOf[d.Key.Kind]; d.Virtual && k != nil && k.Group.Members != "" {
			groups = append(groups, d)
		}
		if part := w.PartOf(d); part != nil && part.Member == d.Key && members[part.Group] == nil {
			members[part.Group] = d
		}
	}
	return groups
}

// memberName returns the name of the former member that an object was a part of. prefix comes before the number in that name. isPart is false
// if the object was not a part of a member of the group.
func (w worldReader) memberName(key manifest.Key, group, member *kind.Desired, prefix string) (name string, isPart bool) {
	for _, called := range append([]manifest.Key{group.Key}, group.From...) {
		rest, below := strings.CutPrefix(key.Name, called.Name+"-"+prefix)
		suffix := strings.TrimLeft(rest, "0123456789")
		if below && key.Namespace == called.Namespace && suffix != rest && w.hasPart(key, group, member, suffix) {
			return strings.TrimSuffix(key.Name, suffix), true
		}
	}
	return "", false
}

// hasPart reports whether members of the group have an object of the same kind whose name ends with the suffix.
func (w worldReader) hasPart(key manifest.Key, group, member *kind.Desired, suffix string) bool {
	if member == nil {
		return suffix == ""
	}
	sibling := manifest.Key{Group: key.Group, Kind: key.Kind, Namespace: key.Namespace, Name: member.Key.Name + suffix}
	of := w.PartOf(w.ByKey[sibling])
	return of != nil && of.Group == group.Key
}
