package octavia

import (
	"slices"
	"time"
)

// These are the provisioning and operating statuses
// (octavia_lib/common/constants.py).
const (
	active        = "ACTIVE"
	pendingCreate = "PENDING_CREATE"
	pendingUpdate = "PENDING_UPDATE"
	pendingDelete = "PENDING_DELETE"

	online    = "ONLINE"
	draining  = "DRAINING"
	offline   = "OFFLINE"
	degraded  = "DEGRADED"
	failing   = "ERROR"
	noMonitor = "NO_MONITOR"
)

// Base contains the fields that every object of the tree has.
type Base struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Provisioning string   `json:"provisioning_status"`
	Operating    string   `json:"operating_status"`
	AdminStateUp bool     `json:"admin_state_up"`
	ProjectID    string   `json:"project_id"`
	TenantID     string   `json:"tenant_id"`
	CreatedAt    string   `json:"created_at"`
	UpdatedAt    *string  `json:"updated_at"`
	Tags         []string `json:"tags"`

	stuck bool // the object stays in PENDING_CREATE forever
}

// LoadBalancer is the root of a tree.
type LoadBalancer struct {
	Base
	Description      string  `json:"description"`
	VIPAddress       string  `json:"vip_address"`
	VIPPortID        string  `json:"vip_port_id"`
	VIPSubnetID      string  `json:"vip_subnet_id"`
	VIPNetworkID     string  `json:"vip_network_id"`
	AdditionalVIPs   []VIP   `json:"additional_vips"`
	Provider         string  `json:"provider"`
	FlavorID         *string `json:"flavor_id"`
	QoSPolicyID      *string `json:"vip_qos_policy_id"`
	AvailabilityZone *string `json:"availability_zone"`
	Listeners        any     `json:"listeners"`
	Pools            any     `json:"pools"`

	listeners []*Listener
	pools     []*Pool
}

// Listener is a port on which a load balancer listens.
type Listener struct {
	Base
	Description     string            `json:"description"`
	Protocol        string            `json:"protocol"`
	ProtocolPort    int               `json:"protocol_port"`
	ConnectionLimit int               `json:"connection_limit"`
	TLSContainer    *string           `json:"default_tls_container_ref"`
	SNIContainers   []string          `json:"sni_container_refs"`
	DefaultPoolID   *string           `json:"default_pool_id"`
	L7Policies      []ref             `json:"l7policies"`
	InsertHeaders   map[string]string `json:"insert_headers"`
	ClientData      int               `json:"timeout_client_data"`
	MemberConnect   int               `json:"timeout_member_connect"`
	MemberData      int               `json:"timeout_member_data"`
	TCPInspect      int               `json:"timeout_tcp_inspect"`
	ClientCA        *string           `json:"client_ca_tls_container_ref"`
	ClientAuth      string            `json:"client_authentication"`
	ClientCRL       *string           `json:"client_crl_container_ref"`
	AllowedCIDRs    networks          `json:"allowed_cidrs"`
	TLSCiphers      *string           `json:"tls_ciphers"`
	TLSVersions     []string          `json:"tls_versions"`
	ALPN            []string          `json:"alpn_protocols"`
	LoadBalancers   []ref             `json:"loadbalancers"`

	lb       *LoadBalancer
	policies []*L7Policy
}

// Pool is a set of members.
type Pool struct {
	Base
	Description   string   `json:"description"`
	Protocol      string   `json:"protocol"`
	Algorithm     string   `json:"lb_algorithm"`
	Persistence   any      `json:"session_persistence"`
	TLSContainer  *string  `json:"tls_container_ref"`
	CAContainer   *string  `json:"ca_tls_container_ref"`
	CRLContainer  *string  `json:"crl_container_ref"`
	TLSEnabled    bool     `json:"tls_enabled"`
	TLSCiphers    *string  `json:"tls_ciphers"`
	TLSVersions   []string `json:"tls_versions"`
	ALPN          []string `json:"alpn_protocols"`
	MonitorID     *string  `json:"healthmonitor_id,omitempty"`
	Members       any      `json:"members"`
	Listeners     []ref    `json:"listeners"`
	LoadBalancers []ref    `json:"loadbalancers"`

	lb      *LoadBalancer
	members []*Member
	monitor *HealthMonitor
}

// Member is a server that requests are forwarded to.
type Member struct {
	Base
	Address        string  `json:"address"`
	ProtocolPort   int     `json:"protocol_port"`
	Weight         int     `json:"weight"`
	Backup         bool    `json:"backup"`
	SubnetID       *string `json:"subnet_id"`
	MonitorAddress *string `json:"monitor_address"`
	MonitorPort    *int    `json:"monitor_port"`

	pool *Pool
}

// HealthMonitor checks the members of a pool.
type HealthMonitor struct {
	Base
	Type          string   `json:"type"`
	Delay         int      `json:"delay"`
	Timeout       int      `json:"timeout"`
	MaxRetries    int      `json:"max_retries"`
	RetriesDown   int      `json:"max_retries_down"`
	HTTPMethod    *string  `json:"http_method"`
	URLPath       *string  `json:"url_path"`
	ExpectedCodes *string  `json:"expected_codes"`
	HTTPVersion   *float64 `json:"http_version"`
	DomainName    *string  `json:"domain_name"`
	Pools         []ref    `json:"pools"`

	pool *Pool
}

type ref struct {
	ID string `json:"id"`
}

// refresh sets the references that the API shows.
func (lb *LoadBalancer) refresh() {
	listeners, pools := []ref{}, []ref{}
	for _, l := range lb.listeners {
		listeners = append(listeners, ref{l.ID})
		l.LoadBalancers = []ref{{lb.ID}}
		l.refresh()
	}
	for _, p := range lb.pools {
		pools = append(pools, ref{p.ID})
		p.refresh()
	}
	lb.Listeners, lb.Pools = listeners, pools
}

func (p *Pool) refresh() {
	p.LoadBalancers = []ref{{p.lb.ID}}
	p.MonitorID = nil
	if p.monitor != nil {
		p.MonitorID, p.monitor.Pools = &p.monitor.ID, []ref{{p.ID}}
	}
	members := []ref{}
	for _, m := range p.members {
		members = append(members, ref{m.ID})
	}
	p.Members, p.Listeners = members, []ref{}
	for _, l := range p.usedBy() {
		p.Listeners = append(p.Listeners, ref{l.ID})
	}
}

func (p *Pool) usedBy() []*Listener {
	var out []*Listener
	for _, l := range p.lb.listeners {
		redirects := slices.ContainsFunc(l.policies, func(y *L7Policy) bool { return y.RedirectPool != nil && *y.RedirectPool == p.ID })
		if redirects || l.DefaultPoolID != nil && *l.DefaultPoolID == p.ID {
			out = append(out, l)
		}
	}
	return out
}

func (lb *LoadBalancer) poolByID(id string) *Pool {
	i := slices.IndexFunc(lb.pools, func(p *Pool) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return lb.pools[i]
}

// bases returns all objects of the tree. The load balancer is last.
func (lb *LoadBalancer) bases() []*Base {
	var out []*Base
	for _, l := range lb.listeners {
		out = append(out, &l.Base)
		for _, p := range l.policies {
			out = append(out, &p.Base)
			for _, r := range p.rules {
				out = append(out, &r.Base)
			}
		}
	}
	for _, p := range lb.pools {
		for _, m := range p.members {
			out = append(out, &m.Base)
		}
		if p.monitor != nil {
			out = append(out, &p.monitor.Base)
		}
		out = append(out, &p.Base)
	}
	return append(out, &lb.Base)
}

// stamp formats a time as Octavia does: without a zone and without fractions.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }
