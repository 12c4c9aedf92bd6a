package octavia

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func (o *Octavia) membersOf(c *oslo.Call) ([]*Member, error) {
	p, err := o.pool.find(c, c.PathValue("pool"))
	if err != nil {
		return nil, err
	}
	return slices.Clone(p.members), nil
}

// newMember adds a member. The caller has checked its attributes.
func (o *Octavia) newMember(c *oslo.Call, p *Pool, in object) (*Member, error) {
	m := &Member{Base: o.newBase(c), pool: p, Weight: 1}
	if p.monitor == nil {
		m.Operating = noMonitor
	}
	if err := take(in, m); err != nil {
		return nil, err
	}
	m.ProjectID, m.TenantID = p.ProjectID, p.ProjectID
	if err := p.lb.bearsMember(m); err != nil {
		return nil, err
	}
	if err := o.reserve(p.ProjectID, "member", 1); err != nil {
		return nil, err
	}
	if m.SubnetID != nil {
		if _, err := o.neutron.VisibleSubnet(c.Caller, *m.SubnetID); err != nil {
			return nil, missing("Subnet", *m.SubnetID)
		}
	}
	if p.at(m.Address, m.ProtocolPort) != nil {
		return nil, conflict("Another member on this pool is already using ip %s on protocol_port %d", m.Address, m.ProtocolPort)
	}
	p.members = append(p.members, m)
	return m, nil
}

// free reports whether the objects in the pool can be changed now.
func (p *Pool) free() bool { return p.lb.Provisioning == active && p.Provisioning == active }

func (p *Pool) at(address string, port int) *Member {
	i := slices.IndexFunc(p.members, func(m *Member) bool { return m.Address == address && m.ProtocolPort == port })
	if i < 0 {
		return nil
	}
	return p.members[i]
}

func (o *Octavia) createMember(c *oslo.Call) (*oslo.Response, error) {
	p, err := o.pool.find(c, c.PathValue("pool"))
	if err != nil {
		return nil, err
	}
	in, bad := body(c, "member")
	if bad == nil {
		bad = memberPOST.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	var asked Member
	if err := take(in, &asked); err != nil {
		return nil, err
	}
	if p.at(asked.Address, asked.ProtocolPort) == nil && !p.free() {
		return nil, immutable("Pool", p.ID)
	}
	m, err := o.newMember(c, p, in)
	if err != nil {
		return nil, err
	}
	o.lock(p.lb, touched(&m.Base, p)...)
	return oslo.Created(map[string]any{"member": m}), nil
}

// batchMembers replaces all members of a pool. An existing member with the same address and port is not
// replaced. If a request contains the same new member twice, the pool stays PENDING forever, as in the real
// service.
func (o *Octavia) batchMembers(c *oslo.Call) (*oslo.Response, error) {
	p, err := o.pool.find(c, c.PathValue("pool"))
	if err != nil {
		return nil, err
	}
	var in struct {
		Members []object `json:"members"`
	}
	if !c.Decode(&in) {
		return nil, badRequest("Invalid input for field/attribute members. Value: 'None'. Mandatory field missing.")
	}
	asked := make([]Member, len(in.Members))
	for i, m := range in.Members {
		if bad := memberPOST.check(m); bad != nil {
			return nil, bad
		}
		if err := take(m, &asked[i]); err != nil {
			return nil, err
		}
	}
	if !p.free() {
		return nil, immutable("Pool", p.ID)
	}
	return o.replaceMembers(c, p, in.Members, asked)
}

func (o *Octavia) replaceMembers(c *oslo.Call, p *Pool, bodies []object, asked []Member) (*oslo.Response, error) {
	keep := map[string]bool{}
	fresh, hangs := []object{}, false
	seen := map[string]bool{}
	for i, m := range asked {
		pair := m.Address + " " + itoa(m.ProtocolPort)
		hangs = hangs || seen[pair]
		seen[pair] = true
		if old := p.at(m.Address, m.ProtocolPort); old != nil {
			keep[old.ID] = true
		} else {
			fresh = append(fresh, bodies[i])
		}
	}
	if hangs {
		p.lb.Provisioning, p.Provisioning = pendingUpdate, pendingUpdate
		return oslo.Accepted(nil), nil
	}
	additive := oslo.Truthy(c.Query().Get("additive_only"))
	gone := slices.DeleteFunc(slices.Clone(p.members), func(m *Member) bool { return additive || keep[m.ID] })
	if len(asked)+len(gone) == 0 {
		return oslo.Accepted(nil), nil
	}
	if err := o.reserve(p.ProjectID, "member", len(fresh)-len(gone)); err != nil && len(fresh) > len(gone) {
		return nil, err
	}
	for i, m := range asked {
		if old := p.at(m.Address, m.ProtocolPort); old != nil {
			if err := take(bodies[i], old); err != nil {
				return nil, err
			}
			old.Provisioning = pendingUpdate
		}
	}
	for _, in := range fresh {
		if _, err := o.newMember(c, p, in); err != nil {
			return nil, err
		}
	}
	for _, m := range gone {
		m.Provisioning = pendingDelete
	}
	o.lock(p.lb, touched(&p.Base, p)...)
	return oslo.Accepted(nil), nil
}

// newMonitor adds a health monitor. The caller has checked its attributes.
func (o *Octavia) newMonitor(c *oslo.Call, p *Pool, in object) (*HealthMonitor, error) {
	m := &HealthMonitor{Base: o.newBase(c), pool: p, RetriesDown: 3}
	if err := take(in, m); err != nil {
		return nil, err
	}
	m.ProjectID, m.TenantID = p.ProjectID, p.ProjectID
	if p.lb.Provider == ovn && m.Type != "TCP" && m.Type != "UDP-CONNECT" {
		return nil, unsupported("OVN provider does not support %s health monitors", m.Type)
	}
	datagrams := p.Protocol == "UDP" || p.Protocol == "SCTP"
	if datagrams && !slices.Contains([]string{"UDP-CONNECT", "SCTP", "TCP", "HTTP"}, m.Type) {
		return nil, invalid("The associated pool protocol is %s, so only a UDP-CONNECT/SCTP/TCP/HTTP health monitor is supported.", p.Protocol)
	}
	if !datagrams && (m.Type == "UDP-CONNECT" || m.Type == "SCTP") {
		return nil, invalid("The %s type is only supported for pools of type UDP/SCTP.", m.Type)
	}
	if m.DomainName != nil && (m.HTTPVersion == nil || *m.HTTPVersion < 1.1) {
		return nil, invalid("'http_version' must be specified when 'domain_name' is provided.")
	}
	if err := o.reserve(p.ProjectID, "health_monitor", 1); err != nil {
		return nil, err
	}
	if m.Type == "HTTP" || m.Type == "HTTPS" {
		m.HTTPMethod, m.URLPath, m.ExpectedCodes = orText(m.HTTPMethod, "GET"), orText(m.URLPath, "/"), orText(m.ExpectedCodes, "200")
	}
	if p.monitor != nil {
		return nil, conflict("This pool already has a health monitor")
	}
	p.monitor = m
	return m, nil
}

func orText(p *string, otherwise string) *string {
	if p == nil {
		return &otherwise
	}
	return p
}

func (o *Octavia) createMonitor(c *oslo.Call) (*oslo.Response, error) {
	in, bad := body(c, "healthmonitor")
	if bad == nil {
		bad = monitorPOST.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	id, _ := in["pool_id"].(string)
	delete(in, "pool_id")
	p, err := o.pool.find(c, id)
	if err != nil {
		return nil, err
	}
	if p.monitor == nil && !p.free() {
		return nil, immutable("Pool", p.ID)
	}
	m, err := o.newMonitor(c, p, in)
	if err != nil {
		return nil, err
	}
	o.lock(p.lb, touched(&m.Base, p)...)
	return oslo.Created(map[string]any{"healthmonitor": m}), nil
}
