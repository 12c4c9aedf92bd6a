// Package simulator is an OpenStack in memory that speaks the real HTTP APIs: Keystone, Neutron and the services built on them.
// It answers as Zed (2022.2) does with no-op data planes. It serves the demo, tests, benchmarks and the command `simulator`.
//
// It aims to be as strict as a real cloud: states take time, objects in use cannot be deleted, quotas apply, and
// revisions count. Every service has its own form of errors. The simulator moves no packets, boots no machines
// and stores nothing on disk.
//
// Each service has a package of its own (keystone, neutron, …), and all of them use package oslo. This package combines
// them, adds the base data and listens. An oslo.Table describes a collection of a service, with a row for each attribute. An
// oslo.Resource implements a simple collection; designate/zones.go is an example.
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

// Options are the differences from the default cloud. In the cloud of the zero value, every state is final
// before the next request.
type Options struct {
	// Now is the clock; nil means the wall clock.
	Now func() time.Time
	// BuildDelay is how long servers stay in BUILD (and other task states).
	BuildDelay time.Duration
	// PendingDelay is how long load balancers, zones and recordsets stay in
	// PENDING states.
	PendingDelay time.Duration
	// ChildrenStuck leaves objects that are created together with their load balancer in PENDING_CREATE forever, as Octavia 11.0.0 does.
	ChildrenStuck bool
	// TokenTTL is the lifetime of tokens; zero means four hours.
	TokenTTL time.Duration
	// TagsOnCreate adds Neutron's extension tag-creation (2025.1).
	TagsOnCreate bool
	// TagsOnPorts adds Neutron's extension tag-ports-during-bulk-creation, whose driver operators of older Neutrons can load.
	TagsOnPorts bool
	// MoreNetwork adds Neutron's extensions dns-integration, dns-domain-ports, subnet-dns-publish-fixed-ip, port-trusted-vif
	// and uplink-status-propagation.
	MoreNetwork bool
	// WithoutExternalDNS makes a Neutron that publishes nothing in DNS. With the extension dns-integration, it
	// accepts the names of floating IPs and does not store them.
	WithoutExternalDNS bool
	// WithoutDNS omits Designate, as many clouds do.
	WithoutDNS bool
	// MaxPage is the maximum length of a page of a list. Zero means each service's own default: 1000 for Nova, Glance, Cinder and
	// Manila, 10000 for Swift, no limit for Neutron and Octavia. Designate's is 20 and Barbican's is 10, unless the request asks for more.
	MaxPage int
	// Seed, if not zero, makes IDs and addresses the same on every run.
	Seed uint64
}

// Fault is a failure to inject.
type Fault = oslo.Fault

// Request is a request that was answered.
type Request = oslo.Request

// Cloud is a simulated OpenStack. It embeds the common parts of all services: AddFault, ClearFaults, Requests,
// RequestCounts, ResetRequests, OnRequest.
type Cloud struct {
	*oslo.Cloud

	// The services are exported for Go code that changes them directly and not by the API. Such code must hold the
	// lock: it calls Do.
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
	c.Neutron = neutron.New(ground, neutron.Options{TagsOnCreate: opts.TagsOnCreate, TagsOnPorts: opts.TagsOnPorts, More: opts.MoreNetwork, WithoutExternalDNS: opts.WithoutExternalDNS, MaxPage: opts.MaxPage})
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
