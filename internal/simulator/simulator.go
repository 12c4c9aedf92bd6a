// Package simulator is an OpenStack in memory that speaks the real HTTP APIs:
// Keystone, Neutron and the services built on them, as Zed (2022.2) with no-op
// data planes answers. It serves the demo, tests, benchmarks and the command
// `simulator`.
//
// It aims to be no kinder than the real thing: states take time, what is in use
// cannot be deleted, quotas hold, revisions count, and every service words its
// errors in its own shape. It does not move packets, boot machines or survive
// its process.
//
// The services live in packages of their own (keystone, neutron, …) on the
// ground that package oslo lays; this package puts them together, fills in the
// base data and listens. A collection of a service is described by an
// oslo.Table, an attribute a row, and a simple one is an oslo.Resource:
// designate/zones.go shows the way.
package simulator

import (
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/barbican"
	"github.com/stackreeve/stackreeve/internal/simulator/cinder"
	"github.com/stackreeve/stackreeve/internal/simulator/designate"
	"github.com/stackreeve/stackreeve/internal/simulator/glance"
	"github.com/stackreeve/stackreeve/internal/simulator/keystone"
	"github.com/stackreeve/stackreeve/internal/simulator/manila"
	"github.com/stackreeve/stackreeve/internal/simulator/neutron"
	"github.com/stackreeve/stackreeve/internal/simulator/nova"
	"github.com/stackreeve/stackreeve/internal/simulator/octavia"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/placement"
	"github.com/stackreeve/stackreeve/internal/simulator/swift"
)

// Options say how a cloud differs from the plain one. The zero value is a
// cloud where everything settles before the next request.
type Options struct {
	// Now is the clock; nil means the wall clock.
	Now func() time.Time
	// BuildDelay is how long servers stay in BUILD (and other task states).
	BuildDelay time.Duration
	// PendingDelay is how long load balancers, zones and recordsets stay in
	// PENDING states.
	PendingDelay time.Duration
	// ChildrenStuck leaves what is created together with its load balancer in
	// PENDING_CREATE for ever, as Octavia 11.0.0 does.
	ChildrenStuck bool
	// TokenTTL is how long tokens live; zero means four hours.
	TokenTTL time.Duration
	// TagsOnCreate offers Neutron's extension tag-creation (2025.1).
	TagsOnCreate bool
	// MoreNetwork offers Neutron's extensions dns-integration, dns-domain-ports,
	// subnet-dns-publish-fixed-ip, port-trusted-vif and uplink-status-propagation.
	MoreNetwork bool
	// WithoutExternalDNS has Neutron publish in no DNS: with its extension dns-integration, the names of
	// floating IPs are taken and not kept.
	WithoutExternalDNS bool
	// WithoutDNS leaves Designate out, as many clouds do.
	WithoutDNS bool
	// MaxPage bounds the pages of lists; zero leaves each service's own default
	// (Nova, Glance, Cinder and Manila: 1000, Designate: 20 and Barbican: 10 unless asked, Swift: 10000, Neutron: no bound).
	MaxPage int
	// Seed makes ids and addresses the same on every run; zero does not.
	Seed uint64
}

// Fault is a failure to inject.
type Fault = oslo.Fault

// Request is one answered request.
type Request = oslo.Request

// Cloud is a simulated OpenStack. It embeds the ground of all services:
// AddFault, ClearFaults, Requests, RequestCounts, ResetRequests, OnRequest.
type Cloud struct {
	*oslo.Cloud

	// The services, for Go code that wants to act behind the API; hold the lock
	// with Do.
	Keystone *keystone.Keystone
	Neutron  *neutron.Neutron
	Octavia  *octavia.Octavia
	Glance   *glance.Glance
	Cinder   *cinder.Cinder
	Nova     *nova.Nova
	Barbican *barbican.Barbican
	Manila   *manila.Manila
	// Designate is nil in a cloud without DNS.
	Designate *designate.Designate
}

var _ http.Handler = (*Cloud)(nil)

// New makes a cloud with its base data.
func New(opts Options) (*Cloud, error) {
	if opts.TokenTTL == 0 {
		opts.TokenTTL = 4 * time.Hour
	}
	ground := oslo.New(opts.Now, opts.Seed)
	c := &Cloud{Cloud: ground}
	c.Keystone = keystone.New(ground, opts.TokenTTL)
	c.Neutron = neutron.New(ground, neutron.Options{TagsOnCreate: opts.TagsOnCreate, More: opts.MoreNetwork, WithoutExternalDNS: opts.WithoutExternalDNS, MaxPage: opts.MaxPage})
	c.Glance = glance.New(ground, glance.Options{MaxPage: opts.MaxPage})
	c.Cinder = cinder.New(ground, c.Glance, cinder.Options{BuildDelay: opts.BuildDelay, MaxPage: opts.MaxPage})
	c.Nova = nova.New(ground, c.Neutron, c.Glance, c.Cinder.Compute(), nova.Options{BuildDelay: opts.BuildDelay, MaxPage: opts.MaxPage})
	placement.New(ground, c.Nova)
	c.Barbican = barbican.New(ground, barbican.Options{MaxPage: opts.MaxPage})
	c.Manila = manila.New(ground, manila.Options{MaxPage: opts.MaxPage})
	c.Octavia = octavia.New(ground, c.Neutron, octavia.Options{PendingDelay: opts.PendingDelay, MaxPage: opts.MaxPage, ChildrenStuck: opts.ChildrenStuck, Holds: c.Barbican.Holds})
	if !opts.WithoutDNS {
		c.Designate = designate.New(ground, designate.Options{PendingDelay: opts.PendingDelay, MaxPage: opts.MaxPage})
	}
	swift.New(ground, swift.Options{MaxPage: opts.MaxPage})
	var err error
	c.Do(func() { err = c.addBase() })
	return c, err
}
