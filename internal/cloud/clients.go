package cloud

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// service returns a client of a catalog type that asks for a microversion; "" is the base version.
// The address of the service is looked up on first use.
func (c *Client) service(name, microversion string) (*gophercloud.ServiceClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.services[name]
	if s == nil {
		row, err := serviceOfType(name)
		if err != nil {
			return nil, err
		}
		if s, err = c.open(row); err != nil {
			return nil, err
		}
		c.services[name] = s
	}
	asking := *s
	asking.Microversion = microversion
	return &asking, nil
}

func (c *Client) open(row *service) (*gophercloud.ServiceClient, error) {
	at := c.endpoint
	at.Type, at.Aliases = row.name, row.aliases
	s, err := row.open(c.provider, at)
	if notFound(err) {
		return nil, fmt.Errorf("the catalog has no %s service in region %s: %w", row.name, c.Region, kind.ErrNoService)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", row.name, c.conceal(classify(err, row, plainly)))
	}
	if row.version != "" {
		s.Endpoint = withoutVersion(s.Endpoint)
		s.ResourceBase = s.Endpoint + row.version
	}
	return s, nil
}

func notFound(err error) bool {
	return errors.As(err, new(gophercloud.ErrEndpointNotFound)) || errors.As(err, new(*gophercloud.ErrEndpointNotFound))
}

// openIdentity does the same as openstack.NewIdentityV3, except for the version: that function cuts
// the address at the first part of its path that looks like a version.
func openIdentity(p *gophercloud.ProviderClient, at gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error) {
	at.ApplyDefaults(Identity)
	endpoint, err := p.EndpointLocator(at)
	return &gophercloud.ServiceClient{ProviderClient: p, Endpoint: endpoint, Type: Identity}, err
}

var lastVersion = pattern.Of(`/v[0-9]+(\.[0-9]+)?/$`)

// withoutVersion removes the version at the end of an address, which ends in a slash. A version
// earlier in the path stays, because it belongs to the address of the service.
func withoutVersion(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	_, path, _ := strings.Cut(rest, "/") // "/v2/" is a path; the host of "http://v2/" is not
	version := lastVersion.Regexp().FindString("/" + path)
	return strings.TrimSuffix(address, strings.TrimPrefix(version, "/"))
}
