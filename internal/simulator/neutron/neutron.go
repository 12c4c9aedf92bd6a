// Package neutron simulates the network service of Zed with the ML2 plugin: networks, subnets, ports,
// routers, floating IPs, security groups and more. extensionAliases lists the extensions that it has.
//
// It knows nothing about servers or load balancers. Nova and Octavia change it through the exported
// methods, as they change the real one with the rights of the service user. Agents and data planes do
// not exist; a port becomes ACTIVE when a service sets its status.
package neutron

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// TagsOnCreate adds the extension tag-creation (2025.1): a POST may contain tags.
	TagsOnCreate bool
	// TagsOnPorts adds the extension tag-ports-during-bulk-creation: a POST of ports may contain tags. A Neutron without it ignores these tags.
	TagsOnPorts bool
	// More adds the extensions that moreAliases lists.
	More bool
	// WithoutExternalDNS is a Neutron without an external_dns_driver: names of floating IPs are not stored.
	WithoutExternalDNS bool
	// MaxPage is pagination_max_limit; zero means that lists have no pages.
	MaxPage int
}

// Neutron is the network service.
type Neutron struct {
	cloud *oslo.Cloud
	svc   *oslo.Service
	opts  Options

	networks      *kind[Network]
	subnets       *kind[Subnet]
	ports         *kind[Port]
	groups        *kind[SecurityGroup]
	rules         *kind[SecurityGroupRule]
	routers       *kind[Router]
	floatingIPs   *kind[FloatingIP]
	addressScopes *kind[AddressScope]
	subnetPools   *kind[SubnetPool]
	addressGroups *kind[AddressGroup]
	trunks        *kind[Trunk]
	qosPolicies   *kind[QoSPolicy]
	rbacPolicies  *kind[RBACPolicy]
	forwardings   map[string][]*Forwarding // the keys are IDs of floating IPs

	byDevice   map[string]map[string]*Port // ports by device id
	macs       map[macKey]string           // port ids
	taken      map[string]takenIPs         // the keys are IDs of subnets
	defaults   map[string]*SecurityGroup   // the keys are IDs of projects
	ruleIndex  map[string][]*SecurityGroupRule
	fipsOn     map[string][]*FloatingIP // the keys are IDs of ports
	quotas     oslo.Quotas
	portGone   []func(*Port)
	usages     []usage
	standardID int
	portSeq    int
	segment    int
}

type macKey struct{ network, mac string }

// New registers the network service.
func New(cloud *oslo.Cloud, opts Options) *Neutron {
	n := &Neutron{cloud: cloud, opts: opts, byDevice: map[string]map[string]*Port{}, macs: map[macKey]string{},
		taken: map[string]takenIPs{}, defaults: map[string]*SecurityGroup{}, ruleIndex: map[string][]*SecurityGroupRule{},
		fipsOn: map[string][]*FloatingIP{}}
	n.svc = &oslo.Service{Name: "neutron", Types: []string{"network"}, Prefix: "/network", Render: render}
	cloud.Register(n.svc)
	n.svc.HandlePublic("GET /{$}", n.versions)
	n.svc.Handle("GET /v2.0", n.resources)
	n.svc.Handle("GET /v2.0/extensions", n.listExtensions)
	n.svc.Handle("GET /v2.0/extensions/{alias}", n.showExtension)
	for path, name := range emptyCollections {
		n.svc.Handle("GET /v2.0/"+path, emptyList(name))
	}
	n.addAddressScopes()
	n.addSubnetPools()
	n.addNetworks()
	n.addSubnets()
	n.addPorts()
	n.addGroups()
	n.addRules()
	n.addRouters()
	n.addFloatingIPs()
	n.addForwardings()
	n.addAddressGroups()
	n.addTrunks()
	n.addQoSPolicies()
	n.addRBACPolicies()
	n.addQuotas()
	return n
}

// emptyCollections are the collections that exist and contain no records.
var emptyCollections = map[string]string{"availability_zones": "availability_zones", "agents": "agents",
	"network-ip-availabilities": "network_ip_availabilities", "flavors": "flavors"}

func emptyList(name string) oslo.Handler {
	return func(*oslo.Call) (*oslo.Response, error) { return oslo.OK(map[string]any{name: []any{}}), nil }
}

func (n *Neutron) versions(c *oslo.Call) (*oslo.Response, error) {
	return oslo.OK(map[string]any{"versions": []any{map[string]any{"id": "v2.0", "status": "CURRENT",
		"links": []any{map[string]string{"rel": "self", "href": c.Base + "/v2.0/"}}}}}), nil
}

func (n *Neutron) resources(c *oslo.Call) (*oslo.Response, error) {
	if c.Original.Path[len(c.Original.Path)-1] != '/' {
		return nil, oslo.Errorf(http.StatusNotFound, "HTTPNotFound", "The resource could not be found.")
	}
	var list []any
	for _, name := range []string{"network", "subnet", "subnetpool", "port"} {
		list = append(list, map[string]any{"name": name, "collection": name + "s",
			"links": []any{map[string]string{"rel": "self", "href": c.Base + "/v2.0/" + name + "s"}}})
	}
	return oslo.OK(map[string]any{"resources": list}), nil
}

// Standard contains the attributes that every Neutron resource has (neutron/db/standard_attr.py).
type Standard struct {
	ID          string   `json:"id"`
	TenantID    string   `json:"tenant_id"`
	ProjectID   string   `json:"project_id"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	CreatedAt   string   `json:"created_at"`
	UpdatedAt   string   `json:"updated_at"`
	Revision    int      `json:"revision_number"`
}

func (n *Neutron) standard(projectID, description string) Standard {
	now := oslo.Stamp(n.cloud.Now())
	n.standardID++
	return Standard{ID: n.cloud.UUID(), TenantID: projectID, ProjectID: projectID, Description: description, Tags: []string{}, CreatedAt: now, UpdatedAt: now}
}

// bump raises the revision. services/revisions/revision_plugin.py does that for every write, even one
// that changes nothing.
func (n *Neutron) bump(s *Standard) {
	s.Revision++
	s.UpdatedAt = oslo.Stamp(n.cloud.Now())
}
