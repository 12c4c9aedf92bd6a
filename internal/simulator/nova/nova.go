// Package nova simulates the compute service of Zed (microversions 2.1 to
// 2.93): flavors, key pairs, server groups, servers and their actions, quotas,
// and the attributes of hosts that clients read.
//
// Nova uses the Go methods of Neutron for ports, of Glance for images and of Cinder for volumes. No machine
// runs. The state of a server changes at times of the cloud's clock.
package nova

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/glance"
	"github.com/stackreeve/stackreeve/internal/simulator/neutron"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// BuildDelay is the duration of BUILD, and of every other task.
	BuildDelay time.Duration
	// MaxPage is [api] max_limit; zero means 1000.
	MaxPage int
}

// Nova is the compute service.
type Nova struct {
	cloud *oslo.Cloud
	svc   *oslo.Service
	opts  Options

	network *neutron.Neutron
	images  *glance.Glance
	volumes Volumes

	flavors   *oslo.Collection[Flavor]
	keys      *oslo.Collection[keyPair]
	groups    *oslo.Collection[group]
	servers   *oslo.Collection[Server]
	gone      []*Server // deleted servers, for changes-since
	hosts     []*host
	quotas    oslo.Quotas // limits that were set, by project
	byPort    map[string]*Server
	failNext  []string            // faults for the next builds
	failTasks map[string][]string // faults for the next resizes and rebuilds, by task
	serial    int
	keySerial int
}

// New registers the compute service.
func New(cloud *oslo.Cloud, network *neutron.Neutron, images *glance.Glance, volumes Volumes, opts Options) *Nova {
	if opts.MaxPage == 0 {
		opts.MaxPage = 1000
	}
	n := &Nova{failTasks: map[string][]string{}, cloud: cloud, opts: opts, network: network, images: images, volumes: volumes,
		flavors: oslo.NewCollection(func(f *Flavor) string { return f.ID }),
		keys:    oslo.NewCollection(func(k *keyPair) string { return k.id() }),
		groups:  oslo.NewCollection(func(g *group) string { return g.ID }),
		servers: oslo.NewCollection(func(s *Server) string { return s.ID }),
		quotas:  oslo.Quotas{Defaults: defaultQuotas()}, byPort: map[string]*Server{}}
	n.hosts = defaultHosts(cloud)
	n.svc = &oslo.Service{Name: "nova", Types: []string{"compute"}, Prefix: "/compute", Endpoint: "/v2.1", Render: render, Decorate: decorate}
	cloud.Register(n.svc)
	n.svc.HandlePublic("GET /{$}", n.listVersions)
	n.svc.HandlePublic("GET /v2.1", n.showVersion)
	n.addFlavors()
	n.addKeyPairs()
	n.addGroups()
	n.addServers()
	n.addInterfaces()
	n.addActions()
	n.addQuotas()
	n.addHosts()
	n.addControl()
	network.OnPortDelete(n.portGone)
	return n
}
