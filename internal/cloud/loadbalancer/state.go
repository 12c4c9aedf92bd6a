package loadbalancer

import (
	"net/netip"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// State is a load balancer as Octavia shows it, with everything under it.
// (octavia/api/v2/types)
type State struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	Description        string   `json:"description"`
	ProjectID          string   `json:"project_id"`
	ProvisioningStatus string   `json:"provisioning_status"`
	OperatingStatus    string   `json:"operating_status"`
	AdminStateUp       bool     `json:"admin_state_up"`
	VIPAddress         string   `json:"vip_address"`
	VIPPortID          string   `json:"vip_port_id"`
	VIPSubnetID        string   `json:"vip_subnet_id"`
	VIPNetworkID       string   `json:"vip_network_id"`
	Provider           string   `json:"provider"`
	FlavorID           string   `json:"flavor_id"`
	AvailabilityZone   string   `json:"availability_zone"`
	Tags               []string `json:"tags"`
	CreatedAt          string   `json:"created_at"`
	UpdatedAt          string   `json:"updated_at"`

	Listeners []*Listener `json:"-"`
	Pools     []*Pool     `json:"-"`
	// Stuck are listeners and pools that nothing will ever finish; they are in
	// neither list above.
	Stuck []stuck `json:"-"`
	// Flavor is the name of the flavor; its ID when it has none any more.
	Flavor string `json:"-"`
	offers *offers
}

// Listener is a socket of a load balancer.
type Listener struct {
	child
	Protocol      string   `json:"protocol"`
	Port          int      `json:"protocol_port"`
	DefaultPoolID string   `json:"default_pool_id"`
	AllowedCIDRs  []string `json:"allowed_cidrs"`
	Client        int      `json:"timeout_client_data"`
	MemberConnect int      `json:"timeout_member_connect"`
	Member        int      `json:"timeout_member_data"`
	Parents       []idOnly `json:"loadbalancers"`
}

// Pool is who answers.
type Pool struct {
	child
	Protocol  string   `json:"protocol"`
	Algorithm string   `json:"lb_algorithm"`
	MemberIDs []idOnly `json:"members"`
	Parents   []idOnly `json:"loadbalancers"`

	Members []*Member      `json:"-"`
	Monitor *HealthMonitor `json:"-"`
}

// Member is one who answers.
type Member struct {
	child
	Address     string `json:"address"`
	Port        int    `json:"protocol_port"`
	Weight      int    `json:"weight"`
	Backup      bool   `json:"backup"`
	SubnetID    string `json:"subnet_id"`
	MonitorPort *int   `json:"monitor_port"`
	// MonitorAddress is set by others only.
	MonitorAddress string `json:"monitor_address"`
}

// HealthMonitor finds out whether the members of a pool can answer.
type HealthMonitor struct {
	child
	Type          string   `json:"type"`
	Delay         int      `json:"delay"`
	Timeout       int      `json:"timeout"`
	Retries       int      `json:"max_retries"`
	RetriesDown   int      `json:"max_retries_down"`
	Method        string   `json:"http_method"`
	Path          string   `json:"url_path"`
	ExpectedCodes string   `json:"expected_codes"`
	Pools         []idOnly `json:"pools"`
}

// child is what everything under a load balancer has.
type child struct {
	ID                 string `json:"id"`
	Name               string `json:"name"`
	AdminStateUp       bool   `json:"admin_state_up"`
	ProvisioningStatus string `json:"provisioning_status"`
	OperatingStatus    string `json:"operating_status"`
}

type idOnly struct {
	ID string `json:"id"`
}

func (l *Listener) socket() socket { return socket{transport(l.Protocol), l.Port} }

func (s *State) pool(id string) *Pool {
	for _, p := range s.Pools {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// children are all things under the load balancer, with what people call them.
func (s *State) children(visit func(what string, c *child)) {
	for _, l := range s.Listeners {
		visit("listener "+l.Name, &l.child)
	}
	for _, p := range s.Pools {
		visit("pool "+p.Name, &p.child)
		for _, m := range p.Members {
			visit("member "+m.text()+" of pool "+p.Name, &m.child)
		}
		if p.Monitor != nil {
			visit("health monitor of pool "+p.Name, &p.Monitor.child)
		}
	}
}

// live gives a load balancer its live shape.
func (s *State) live(project string) kind.Live[*State] {
	phase, message := s.phase()
	created, _ := time.Parse("2006-01-02T15:04:05", s.CreatedAt)
	updated, _ := time.Parse("2006-01-02T15:04:05", s.UpdatedAt) // null as long as it is as it was made
	return kind.Live[*State]{
		ID: s.ID, Name: s.Name, Mark: cloud.MarkInTags(s.Tags), Mine: s.ProjectID == project, Phase: phase, Message: message, Created: created, Updated: updated, State: s,
		Uses: s.uses(), Tokens: s.tokens(), Unwell: s.unwell(), Facts: kind.Facts{Address: s.VIPAddress, PortID: s.VIPPortID, SubnetID: s.VIPSubnetID, NetworkID: s.VIPNetworkID},
	}
}

func (s *State) uses() []string {
	uses := []string{s.VIPNetworkID, s.VIPSubnetID}
	for _, p := range s.Pools {
		for _, m := range p.Members {
			if m.SubnetID != "" {
				uses = append(uses, m.SubnetID+"/"+m.Address)
			}
		}
	}
	return uses
}

// unwell are those of uses that do not serve while others of their pool do, as its
// health monitor has found. Where nothing serves, or nothing is said, nobody is
// worse off than the others.
func (s *State) unwell() (tokens []string) {
	for _, p := range s.Pools {
		var idle []string
		serving := false
		for _, m := range p.Members {
			switch {
			case m.OperatingStatus == "ONLINE":
				serving = true
			case m.SubnetID != "" && m.OperatingStatus != "NO_MONITOR":
				idle = append(idle, m.SubnetID+"/"+m.Address)
			}
		}
		if serving {
			tokens = append(tokens, idle...)
		}
	}
	return tokens
}

// phase judges by the provisioning status; what the operating status says only
// goes into the message, so that machines that are down are seen and nothing
// waits for them:
//
//	load balancer    under it                     phase
//	-------------    --------                     -----
//	PENDING_DELETE                                deleting
//	PENDING_…                                     pending
//	ERROR            nothing was ever ACTIVE      failed: it never worked
//	ERROR            otherwise                    degraded: its address would be lost
//	ACTIVE           something PENDING_…          pending
//	ACTIVE           something in ERROR           degraded
//	ACTIVE           all ACTIVE                   ready
func (s *State) phase() (kind.Phase, string) {
	var pending, broken, worked string
	s.children(func(what string, c *child) {
		switch {
		case strings.HasPrefix(c.ProvisioningStatus, "PENDING_"):
			pending = what + " is " + c.ProvisioningStatus
		case c.ProvisioningStatus == "ERROR":
			broken = what + " is in ERROR"
		case c.ProvisioningStatus == "ACTIVE":
			worked = what
		}
	})
	switch {
	case s.ProvisioningStatus == "PENDING_DELETE":
		return kind.Deleting, s.ProvisioningStatus
	case strings.HasPrefix(s.ProvisioningStatus, "PENDING_"):
		return kind.Pending, s.ProvisioningStatus
	case s.ProvisioningStatus == "ERROR" && worked == "" && s.OperatingStatus != "ONLINE":
		return kind.Failed, "Octavia could not make it"
	case s.ProvisioningStatus == "ERROR":
		return kind.Degraded, "provisioning status ERROR: Octavia cannot change it any more; have an administrator fail it over (openstack loadbalancer failover " + s.ID + "), or delete it to get a new one with another address"
	case pending != "":
		return kind.Pending, pending
	case broken != "":
		return kind.Degraded, broken + "; delete it in the cloud to have it recreated"
	}
	return kind.Ready, s.health()
}

// health says who is down, "" when nobody is.
func (s *State) health() string {
	var down []string
	for _, p := range s.Pools {
		for _, m := range p.Members {
			if m.OperatingStatus == "ERROR" || m.OperatingStatus == "OFFLINE" || m.OperatingStatus == "DEGRADED" {
				down = append(down, m.text()+" of "+p.Name+" is "+m.OperatingStatus)
			}
		}
	}
	text := ""
	if s.OperatingStatus != "ONLINE" && s.OperatingStatus != "NO_MONITOR" {
		text = "operating status " + s.OperatingStatus
	}
	if len(down) > 0 && text != "" {
		text += ": "
	}
	return text + list(down)
}

func (m *Member) text() string { return socketText(m.Address, m.Port) }

func socketText(address string, port int) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		return netip.AddrPortFrom(ip, uint16(port)).String()
	}
	return address
}
