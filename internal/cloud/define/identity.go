package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// DefaultDomain is the ID of the domain that objects are in of which nothing else is
// said, unless the cloud is configured otherwise.
const DefaultDomain = "default"

// InDomain is what an object is looked up by: its name, and where it is not in the
// default domain that, since a name is unique within one.
func InDomain(name, domain string) string {
	if domain == DefaultDomain || domain == "" {
		return name
	}
	return name + "@" + domain
}

// WantedInDomain is the same of a wanted object, by the name of the Domain it refers
// to; nothing is in one that there is not yet.
func WantedInDomain(name, domain string, lookup func(kind, name string) kind.Ref) string {
	ref := lookup("Domain", domain)
	if ref.Name != "" && ref.ID == "" {
		return name + "@"
	}
	return InDomain(name, ref.ID)
}

// ObserveIdentity says whose an object of Keystone is and what it is in: a mark of a
// stack in another project makes it another's.
func ObserveIdentity[Spec, More any](d *cloud.Client, s *State[Spec, More], domain string, live *kind.Live) {
	live.InOwnProject = s.Mark == nil || s.Claim.Project == d.ProjectID
	live.Name = InDomain(s.Name, domain)
	live.Facts = kind.Facts{Name: s.Name}
	if domain != "" && domain != DefaultDomain {
		live.Uses = append(live.Uses, domain)
	}
}
