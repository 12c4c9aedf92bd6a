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

// Balancer has the fields of a load balancer that only Octavia sets, and all objects under it.
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
	AllTags            []string   `json:"allTags,omitempty" api:"tags" show:"-"` // including the tags that mark the owner
	CreatedAt          table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt          table.Time `json:"updatedAt" api:"updated_at"` // none until the first change

	Listeners []*Listener `json:"-"`
	Pools     []*Pool     `json:"-"`
	// Stuck are listeners and pools that Octavia will never finish. They are not in Listeners and Pools.
	Stuck  stuck `json:"-"`
	offers *offers
}

// The structs below describe both wanted and existing objects. A wanted object has no ID and no status. Its field names
// the manifest's field that it comes from, such as spec.ports[0], and its changes are reported below that field.

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
	Policies     []*Policy `json:"-"` // in the order of their evaluation
	Pool         *Pool     `json:"-"` // the wanted pool
}

// header is a header that the listener adds to requests.
type header struct{ Name, Value string }

// Pool is a set of machines that answer requests.
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
	// missing is a machine or its port that has no address yet, or "" if each machine has one.
	missing string
}

// Member is one machine of a pool.
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
	MonitorAddress string `json:"monitorAddress" api:"monitor_address" show:"-"` // never set by the agent, only by people

	UpdatedAt table.Time   `json:"updatedAt" api:"updated_at,unwritten" show:"-"`
	traffic   kind.Traffic // whether connections may be sent to the machine
}

// HealthMonitor says how Octavia checks whether the members of a pool can answer.
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

// child has the fields that all objects under a load balancer have. Such an object has no mark, because its load
// balancer shows who owns it. So to let a load balancer go, the agent removes only one mark.
type child struct {
	ID                 string `json:"id" api:"id,unwritten"`
	ProvisioningStatus string `json:"provisioningStatus" api:"provisioning_status" show:"-"`
	OperatingStatus    string `json:"operatingStatus" api:"operating_status"`
	BalancerID         string `json:"loadBalancerID" api:"loadbalancer_id,unread" show:"-"`
	Parents            []link `json:"loadBalancers" api:"loadbalancers" show:"-"`
	field              string // the field of the manifest, such as spec.ports[0]
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

// first returns the first element for which so returns true, or nil if there is none.
func first[T any](list []*T, so func(*T) bool) *T {
	if i := slices.IndexFunc(list, so); i >= 0 {
		return list[i]
	}
	return nil
}

// children calls visit for each object under the load balancer. what is the object's name for messages.
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

// socket is the transport protocol and the port of a listener. Each listener of a load balancer has a different one.
type socket struct {
	transport string
	port      int
}

func (l *Listener) socket() socket { return socket{transport(l.Protocol), l.Port} }

// transport returns the transport protocol that carries a protocol.
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

// token returns the text by which the load balancer's list of uses refers to the member.
func (m *Member) token() string { return kind.ValueToken(m.SubnetID, m.Address) }

// String returns the member as a text for people, which is also used to compare members.
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
