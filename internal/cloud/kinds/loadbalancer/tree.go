package loadbalancer

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// State is a load balancer as Octavia shows it. (octavia/api/v2/types)
type State = table.Object[Spec, Balancer]

// Balancer is what only Octavia says of a load balancer, with everything under it.
type Balancer struct {
	ID                 string     `json:"id" api:"id" show:"-"`
	Name               string     `json:"name" api:"name"`
	ProjectID          string     `json:"projectID" api:"project_id"`
	ProvisioningStatus string     `json:"provisioningStatus" api:"provisioning_status"`
	OperatingStatus    string     `json:"operatingStatus" api:"operating_status"`
	VIPPortID          string     `json:"vipPortID" api:"vip_port_id"`
	VIPSubnetID        string     `json:"vipSubnetID" api:"vip_subnet_id"`
	VIPNetworkID       string     `json:"vipNetworkID" api:"vip_network_id"`
	AdditionalVIPs     []vip      `json:"additionalVIPs,omitempty" api:"additional_vips" show:"-"`
	Provider           string     `json:"provider" api:"provider"`
	FlavorID           string     `json:"flavorID" api:"flavor_id" show:"-"`
	AvailabilityZone   string     `json:"availabilityZone,omitempty" api:"availability_zone"`
	AllTags            []string   `json:"allTags,omitempty" api:"tags" show:"-"` // with those that mark the owner
	CreatedAt          table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt          table.Time `json:"updatedAt" api:"updated_at"` // none as long as it is as it was made

	Listeners []*Listener `json:"-"`
	Pools     []*Pool     `json:"-"`
	// Stuck are listeners and pools that nothing will ever finish; they are in
	// neither list above.
	Stuck  stuck `json:"-"`
	offers *offers
}

// What is under a load balancer is the same struct as it shall be and as it is: as it
// shall be, it has no ID and no status, and says which field of the manifest it is of.
// The names of its fields are those under which changes are reported, below that field.

// Listener is a socket of a load balancer.
type Listener struct {
	child
	Name         string    `json:"listener.name" api:"name" show:"name"`
	AdminStateUp bool      `json:"listener.adminStateUp" api:"admin_state_up" rule:"default=true" show:"-"`
	Protocol     string    `json:"protocol" api:"protocol"`
	Port         int       `json:"port" api:"protocol_port"`
	AllowedCIDRs []string  `json:"allowedCidrs" api:"allowed_cidrs,set,empty" rule:"format=cidr" show:"-"`
	Timeouts     *Timeouts `json:"timeouts" api:",inline"`
	PoolID       string    `json:"poolID,omitempty" api:"default_pool_id"`
	Limit        int       `json:"connectionLimit" api:"connection_limit,absent=-1" rule:"default=-1" show:"-"`
	Headers      []header  `json:"insertHeaders" api:"insert_headers,pairs,empty" show:"-"`
	Certificate  string    `json:"tls.barbicanRef" api:"default_tls_container_ref,null" show:"-"`
	Hosts        []string  `json:"tls.sniBarbicanRefs" api:"sni_container_refs,set,empty" show:"-"`
	Ciphers      string    `json:"tls.ciphers" api:"tls_ciphers" show:"-"`
	Versions     []string  `json:"tls.versions" api:"tls_versions,set" show:"-"`
	ALPN         []string  `json:"tls.alpnProtocols" api:"alpn_protocols,set" show:"-"`
	ClientCA     string    `json:"tls.clientCABarbicanRef" api:"client_ca_tls_container_ref,null" show:"-"`
	ClientCRL    string    `json:"tls.clientCRLBarbicanRef" api:"client_crl_container_ref,null" show:"-"`
	ClientAuth   string    `json:"tls.clientAuthentication" api:"client_authentication,absent=NONE" rule:"default=NONE" show:"-"`
	PolicyIDs    []link    `json:"policies" api:"l7policies,unwritten" show:"-"`
	Policies     []*Policy `json:"-"` // in their order
	Pool         *Pool     `json:"-"` // as it shall be
}

// header is one that requests are given.
type header struct{ Name, Value string }

// Pool is who answers.
type Pool struct {
	child
	Name         string         `json:"pool.name" api:"name"`
	AdminStateUp bool           `json:"pool.adminStateUp" api:"admin_state_up" rule:"default=true"`
	Protocol     string         `json:"protocol" api:"protocol"`
	Algorithm    string         `json:"algorithm" api:"lb_algorithm"`
	Persistence  persistence    `json:"sessionPersistence" api:"session_persistence,null" show:"-"`
	MemberIDs    []link         `json:"members" api:"members"`
	Members      []*Member      `json:"-"`
	Monitor      *HealthMonitor `json:"-"`
	// missing is a machine, or the port of one, that has no address yet, "" for none.
	missing string
}

// Member is one who answers.
type Member struct {
	child
	Name           string `json:"name" api:"name"`
	AdminStateUp   bool   `json:"adminStateUp" api:"admin_state_up" rule:"default=true" show:"-"`
	Address        string `json:"address" api:"address"`
	Port           int    `json:"port" api:"protocol_port"`
	Weight         int    `json:"weight" api:"weight" rule:"required" show:"-"`
	Backup         bool   `json:"backup" api:"backup" rule:"default=false" show:"-"`
	SubnetID       string `json:"subnetID" api:"subnet_id" show:"-"`
	MonitorPort    *int   `json:"monitorPort" api:"monitor_port" show:"-"`
	MonitorAddress string `json:"monitorAddress" api:"monitor_address" show:"-"` // set by others only

	UpdatedAt table.Time   `json:"updatedAt" api:"updated_at,unwritten" show:"-"`
	traffic   kind.Traffic // what may be sent to the machine
}

// HealthMonitor is how it is found out whether the members of a pool can answer.
type HealthMonitor struct {
	child
	Name         string  `json:"name" api:"name"`
	AdminStateUp bool    `json:"adminStateUp" api:"admin_state_up" rule:"default=true"`
	Type         string  `json:"protocol" api:"type"`
	Delay        int     `json:"delay" api:"delay"`
	Timeout      int     `json:"timeout" api:"timeout"`
	Retries      int     `json:"retries" api:"max_retries"`
	RetriesDown  int     `json:"maxRetriesDown" api:"max_retries_down"`
	Method       string  `json:"httpMethod" api:"http_method"`
	Path         string  `json:"endpoint" api:"url_path"`
	Codes        string  `json:"expectedCodes" api:"expected_codes"`
	Domain       string  `json:"domainName" api:"domain_name,null"`
	Version      float64 `json:"httpVersion" api:"http_version"`
	PoolID       string  `json:"poolID" api:"pool_id,unread"`
	Pools        []link  `json:"pools" api:"pools"`
}

// child is what everything under a load balancer has. It has no mark: what belongs to a load
// balancer is known by being under it, and one that is let go has to lose one mark only.
type child struct {
	ID                 string `json:"id" api:"id,unwritten"`
	ProvisioningStatus string `json:"provisioningStatus" api:"provisioning_status" show:"-"`
	OperatingStatus    string `json:"operatingStatus" api:"operating_status"`
	BalancerID         string `json:"loadBalancerID" api:"loadbalancer_id,unread" show:"-"`
	Parents            []link `json:"loadBalancers" api:"loadbalancers" show:"-"`
	field              string // of the manifest: spec.ports[0]
}

type link struct {
	ID string `json:"id" api:"id"`
}

func (b *Balancer) pool(id string) *Pool {
	return first(b.Pools, func(p *Pool) bool { return p.ID == id })
}

func (b *Balancer) listener(at socket) *Listener {
	return first(b.Listeners, func(l *Listener) bool { return l.socket() == at })
}

// first is the first that is so; nil where none is.
func first[T any](list []*T, so func(*T) bool) *T {
	if i := slices.IndexFunc(list, so); i >= 0 {
		return list[i]
	}
	return nil
}

// children are all things under the load balancer, with what people call them.
func (b *Balancer) children(visit func(what string, c *child)) {
	for _, l := range b.Listeners {
		visit("listener "+l.Name, &l.child)
		l.children(visit)
	}
	for _, p := range b.Pools {
		visit("pool "+p.Name, &p.child)
		for _, m := range p.Members {
			visit("member "+m.socket()+" of pool "+p.Name, &m.child)
		}
		if p.Monitor != nil {
			visit("health monitor of pool "+p.Name, &p.Monitor.child)
		}
	}
}

func (b *Balancer) members(visit func(*Pool, *Member)) {
	for _, p := range b.Pools {
		for _, m := range p.Members {
			visit(p, m)
		}
	}
}

// socket is what only one listener of a load balancer can have.
type socket struct {
	transport string
	port      int
}

func (l *Listener) socket() socket { return socket{transport(l.Protocol), l.Port} }

// transport is what carries a protocol.
func transport(protocol string) string {
	if t := strings.ToLower(protocol); t == "udp" || t == "sctp" {
		return t
	}
	return "tcp"
}

func (m *Member) socket() string { return socketText(m.Address, m.Port) }

func socketText(address string, port int) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		return netip.AddrPortFrom(ip, uint16(port)).String()
	}
	return address
}

// token is the member among what a load balancer uses.
func (m *Member) token() string { return kind.Held(m.SubnetID, m.Address) }

// String says what is particular about a member, for people and to compare.
func (m *Member) String() string {
	text := m.socket() + " (" + m.Name + ")"
	if m.Weight != 1 {
		text += fmt.Sprintf(" weight %d", m.Weight)
	}
	if m.Backup {
		text += " backup"
	}
	if !m.AdminStateUp {
		text += " disabled"
	}
	if m.MonitorPort != nil {
		text += fmt.Sprintf(" monitored at port %d", *m.MonitorPort)
	}
	if m.MonitorAddress != "" {
		text += " monitored at " + m.MonitorAddress
	}
	return text
}
