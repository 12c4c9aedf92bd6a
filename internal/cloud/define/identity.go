package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// DefaultDomain is the ID of the default domain of objects, unless the cloud is configured
// otherwise.
const DefaultDomain = "default"

// InDomain is the name by which an object is found. A name is unique within a domain, so the domain
// is appended unless it is the default one.
func InDomain(name, domain string) string {
	if domain == DefaultDomain || domain == "" {
		return name
	}
	return name + "@" + domain
}

// WantedInDomain returns the same as [InDomain] for a desired object. domain is the name of its
// Domain in the repository. If that Domain does not exist yet, the result is the name of no object,
// because the Domain contains nothing.
func WantedInDomain(name, domain string, lookup func(kind, name string) kind.Ref) string {
	ref := lookup("Domain", domain)
	if ref.Name != "" && ref.ID == "" {
		return name + "@"
	}
	return InDomain(name, ref.ID)
}

// ObserveIdentity records the owner and the domain of a Keystone object: an object with a mark of a
// stack in another project is not ours.
func ObserveIdentity[Spec, More any](d *cloud.Client, s *State[Spec, More], domain string, live *kind.Live) {
	live.InOwnProject = s.Mark == nil || s.Claim.Project == d.ProjectID
	live.Name = InDomain(s.Name, domain)
	live.Facts = kind.Facts{Name: s.Name}
	if domain != "" && domain != DefaultDomain {
		live.Uses = append(live.Uses, domain)
	}
}
