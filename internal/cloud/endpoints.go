package cloud

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// origins are the servers that may get the token: the servers that the operator named (auth_url and
// overrides), and the servers of the catalog that [checkEndpoint] allows. If an answer contains an address of
// another server, no request is sent to it.
type origins struct {
	mu      sync.Mutex
	allowed map[string]bool
	refused map[string]error // why an address of the catalog is not allowed
}

func originsOf(home *url.URL) *origins {
	return &origins{allowed: map[string]bool{outbound.Origin(home): true}, refused: map[string]error{}}
}

// check returns an error if an address is not on an allowed server.
func (o *origins) check(u *url.URL) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := outbound.Origin(u)
	switch why := o.refused[at]; {
	case u.User == nil && o.allowed[at]:
		return nil
	case why != nil:
		return why
	}
	return private.Hidef("the cloud redirects to another address, to which the agent sends no request",
		"%w: %s is neither the server of auth_url nor in the catalog, so the agent sends no request there; set auth_url to Keystone's own address, which usually ends in /v3", outbound.ErrRefused, at)
}

// learn adds the addresses of the catalog that this client may use.
// catalog is nil if there is none.
func (o *origins) learn(home *url.URL, catalog *tokens.ServiceCatalog, endpoint gophercloud.EndpointOpts) {
	if catalog == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, service := range catalog.Entries {
		for _, e := range service.Endpoints {
			if endpoint.Region != "" && e.Region != endpoint.Region && e.RegionID != endpoint.Region {
				continue
			}
			u, err := checkEndpoint(home, service.Type, e.URL)
			switch {
			case err == nil:
				o.allowed[outbound.Origin(u)] = true
			case u != nil && !o.allowed[outbound.Origin(u)]:
				o.refused[outbound.Origin(u)] = err
			}
		}
	}
}

// hosts are the names and addresses of the servers as messages contain them. Names that are an
// ordinary word are left out.
func (o *origins) hosts() (list []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for at := range o.allowed {
		if u, err := url.Parse(at); err == nil && strings.ContainsAny(u.Hostname(), ".:") {
			list = append(list, u.Hostname())
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) }) // a longer name is replaced before a name that is a part of it
	return list
}

func (o *origins) allow(u *url.URL) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.allowed[outbound.Origin(u)] = true
}

const badCatalog = "the cloud's catalog has an address that is not used"

// checkEndpoint refuses addresses that a catalog must not give for a service: an address must be
// HTTP, without a login, and with TLS if auth_url has TLS. It must not be on the agent's own
// machine or its link, unless auth_url is there, too. Another host than Keystone's is normal.
// The URL is nil if the text is no address.
func checkEndpoint(home *url.URL, service, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, private.Hidef(badCatalog, "%w: the catalog's address %.200q of %s is not an http or https URL; correct the catalog%s", kind.ErrRejected, text, service, orOverride(service))
	}
	what := ""
	switch {
	case u.User != nil:
		what = "has a login in it"
	case home.Scheme == "https" && u.Scheme != "https":
		what = "is not encrypted although auth_url is"
	case outbound.Local(u.Hostname()) && !outbound.Local(home.Hostname()):
		what = "is on the agent's own machine or a link-local address, although auth_url is not"
	default:
		return u, nil
	}
	return u, private.Hidef(badCatalog, "%w: the catalog's address %s of %s %s, so it gets no token; correct the catalog%s", kind.ErrRejected, outbound.Origin(u), service, what, orOverride(service))
}

func orOverride(service string) string {
	return fmt.Sprintf(", or set %s to the right address in the clouds.yaml entry", overrideOf(service))
}

// overrideOf is the key of clouds.yaml for an address that replaces the catalog's. (openstacksdk
// config/cloud_region.py: get_endpoint)
func overrideOf(service string) string {
	return strings.ReplaceAll(service, "-", "_") + "_endpoint_override"
}

// locate makes the client use the operator's address of a service if there is one, and else that of
// the catalog. It returns an error for an address of the catalog that [checkEndpoint] refuses.
func locate(p *gophercloud.ProviderClient, home *url.URL, overrides map[string]*url.URL, project string) {
	catalog := p.EndpointLocator
	p.EndpointLocator = func(opts gophercloud.EndpointOpts) (string, error) {
		for _, name := range opts.Types() {
			if u := overrides[overrideOf(name)]; u != nil {
				return overridden(u, project), nil
			}
		}
		if row, err := serviceOfType(opts.Type); err == nil && row.version != "" {
			opts.Version = 0 // or gophercloud would look for a version in the first part of the address that resembles one
		}
		text, err := catalog(opts)
		if err != nil {
			return "", err
		}
		_, err = checkEndpoint(home, opts.Type, text)
		return text, err
	}
}

// overridden is an operator's address in the form that the client needs, with the project filled
// in. [Client.open] removes a version that the client adds itself.
func overridden(u *url.URL, project string) string {
	text := strings.NewReplacer("%(project_id)s", project, "%(tenant_id)s", project, "$(project_id)s", project, "$(tenant_id)s", project).Replace(addressOf(u))
	return gophercloud.NormalizeURL(text)
}

// addressOf returns an address as text. Unlike u.String, it does not escape a placeholder such as %(project_id)s.
func addressOf(u *url.URL) string {
	return u.Scheme + "://" + u.Host + u.Path
}

// parseAuthURL reads auth_url. Its errors do not repeat the URL, since it may contain a password.
func parseAuthURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("auth_url is not an http or https URL; write it as https://keystone.example.org:5000/v3")
	case u.User != nil:
		return nil, errors.New("auth_url has a login in it; remove it, and set username and password beside auth_url")
	}
	return u, nil
}

// ownAddress returns the address of a call. Its path is below the service's address, or is
// a complete address from an answer, which must be on the same server.
func ownAddress(s *gophercloud.ServiceClient, call Call) (string, error) {
	if !strings.HasPrefix(call.Path, "http://") && !strings.HasPrefix(call.Path, "https://") {
		return s.ServiceURL(call.Path), nil
	}
	return call.Path, sameService(s.Endpoint, call.Path)
}

// sameService refuses an address from an answer that is not on the service's own server.
func sameService(endpoint, address string) error {
	own, err := url.Parse(endpoint)
	if err != nil {
		return private.Hide("the service's address cannot be read", err)
	}
	u, err := url.Parse(address)
	if err == nil && outbound.SameOrigin(own, u) {
		return nil
	}
	return private.Hidef("its answer redirects to another address, to which the agent sends no request",
		"%w: its answer redirects to %.200q, which is not on %s, so the agent sends no request there; if the service is behind a proxy that terminates TLS, configure the service for that (oslo.middleware: enable_proxy_headers_parsing)",
		kind.ErrRejected, address, outbound.Origin(own))
}

// guarded is a transport that sends requests only to known servers.
type guarded struct {
	next  http.RoundTripper
	known *origins
}

// RoundTrip implements [http.RoundTripper].
func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.known.check(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must
		}
		return nil, err
	}
	return g.next.RoundTrip(req)
}
