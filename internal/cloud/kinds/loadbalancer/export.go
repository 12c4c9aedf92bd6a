package loadbalancer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Export implements [typed.Kind]. It exports members as addresses. Adoption gives the load balancer and everything under
// it the names that follow from the manifest.
func (rules) Export(s *State, e *kind.Export) *Spec {
	spec, b := fields.Manifest(s, e.Name), &s.More
	if spec.VIPAddress, spec.FloatingIP = s.Spec.VIPAddress, nil; slices.Contains(amphorae, b.Provider) {
		spec.Provider = nil // the field is omitted because nearly all clouds have this provider
	}
	e.Renames = append(e.Renames, "spec.name") // adoption renames the load balancer to the name of its manifest
	network, ok := e.Ref("Network", b.VIPNetworkID)
	if spec.VIPNetwork = &network; !ok {
		e.LeftOut = "is on the network " + b.VIPNetworkID + ", which the cloud does not show"
		return spec
	}
	listeners := slices.Clone(b.Listeners)
	slices.SortFunc(listeners, func(a, c *Listener) int { return a.Port - c.Port })
	spec.Ports = []Port{}
	for _, l := range listeners {
		at := portField(len(spec.Ports))
		switch pool := b.pool(l.PoolID); {
		case pool == nil:
			e.LeaveToCloud(portList, l.ID, fmt.Sprintf("the listener %s of port %d has no pool", l.Name, l.Port))
		case e.Element(portList, l.ID):
			e.Renames = append(e.Renames, at+".listener.name", at+".pool.name", at+".monitors[0].name")
			spec.Ports = append(spec.Ports, exported(l, pool, b, at, e))
		}
	}
	for _, p := range b.Pools {
		if !b.used(p.ID) {
			e.LeaveToCloud(portList, p.ID, "the pool "+p.Name+" has no listener")
		}
	}
	return spec
}

func exported(l *Listener, p *Pool, b *Balancer, at string, e *kind.Export) Port {
	port := Port{Port: l.Port, Protocol: word(protocols, l.Protocol), AllowedCIDRs: l.AllowedCIDRs, Timeouts: l.Timeouts, TLS: l.exportedTLS(e)}
	if b.Provider == ovn {
		port.Timeouts = nil // OVN has no timeouts
	}
	if l.Limit > 0 {
		port.ConnectionLimit = &l.Limit
	}
	for _, h := range l.Headers {
		if h.Value == "true" {
			port.InsertHeaders = append(port.InsertHeaders, h.Name)
		}
	}
	answers := p.exported(&port, at, e)
	port.Algorithm, port.SessionPersistence, port.RealServers, port.Monitors = answers.Algorithm, answers.SessionPersistence, answers.RealServers, answers.Monitors
	for i, policy := range l.Policies {
		e.Renames = append(e.Renames, policyField(at, i)+".policy.name")
		port.L7Policies = append(port.L7Policies, policy.exported(&port, b, policyField(at, i), e))
	}
	return port
}

// exportedTLS returns the TLS settings of a listener. It refers to a Barbican secret by the name of its manifest if the secret is
// exported, otherwise by its address.
func (l *Listener) exportedTLS(e *kind.Export) *TLS {
	if l.Protocol != "TERMINATED_HTTPS" {
		return nil
	}
	name := func(address string) string {
		if name, ok := e.Ref("BarbicanSecret", path.Base(address)); ok && address != "" {
			return name
		}
		return address
	}
	t := &TLS{BarbicanRef: text(name(l.Certificate)), Ciphers: text(l.Ciphers), Versions: l.Versions, ALPNProtocols: l.ALPN,
		ClientCABarbicanRef: text(name(l.ClientCA)), ClientCRLBarbicanRef: text(name(l.ClientCRL))}
	for _, address := range l.Hosts {
		t.SNIBarbicanRefs = append(t.SNIBarbicanRefs, name(address))
	}
	if l.ClientAuth != "" && l.ClientAuth != "NONE" {
		t.ClientAuthentication = text(strings.ToLower(l.ClientAuth))
	}
	return t
}

// text returns a pointer to s, or nil if s is empty.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (p *Pool) exported(port *Port, at string, e *kind.Export) RedirectPool {
	var out RedirectPool
	if w := word(algorithms, p.Algorithm); w != "roundRobin" {
		out.Algorithm = &w
	}
	if s := p.Persistence; s.Type != "" {
		out.SessionPersistence = &SessionPersistence{Type: word(persistences, s.Type), CookieName: text(s.Cookie), Granularity: text(s.Granularity)}
		if s.Timeout > 0 {
			out.SessionPersistence.Timeout = &s.Timeout
		}
	}
	if spoken := strings.ToLower(p.Protocol); spoken != out.spoken(port) {
		out.RealServers.Protocol = &spoken
	}
	p.exportMembers(&out.RealServers, port.Port, at, e)
	e.Renames = append(e.Renames, at+".realServers")
	if p.Monitor != nil {
		out.Monitors = []Monitor{p.Monitor.exported()}
		out.Monitors[0].Port = p.monitorPort()
	}
	return out
}

// monitorPort returns the port at which the monitor checks the first member, and so all members. It returns nil if that is the
// port at which they answer clients.
func (p *Pool) monitorPort() *int {
	if p.Monitor == nil || len(p.Members) == 0 {
		return nil
	}
	return p.Members[0].MonitorPort
}

// exportMembers writes the members to the manifest. Adoption changes only their names.
func (p *Pool) exportMembers(r *RealServers, port int, at string, e *kind.Export) {
	for i, m := range p.Members {
		first := p.Members[0].Port
		if i == 0 && m.Port != port {
			r.Port = &p.Members[0].Port
		}
		like := Member{Name: m.Name, AdminStateUp: true, Address: m.Address, Port: m.Port, Weight: m.Weight, Backup: m.Backup}
		if asked := p.monitorPort(); asked != nil && *asked != m.Port {
			like.MonitorPort = asked
		}
		if m.String() != like.String() {
			e.LeaveToCloud(kind.WithoutIndexes(at+".realServers.members"), m.ID, "the manifest cannot describe it: "+m.String())
			continue
		}
		if m.Weight == 1 && !m.Backup && m.Port == first {
			r.Addresses = append(r.Addresses, m.Address)
			continue
		}
		one := RealServer{Address: &m.Address}
		if m.Port != first {
			one.Port = &m.Port
		}
		if m.Weight != 1 {
			one.Weight = &m.Weight
		}
		if m.Backup {
			one.Backup = &m.Backup
		}
		r.Members = append(r.Members, one)
	}
	slices.Sort(r.Addresses)
	slices.SortFunc(r.Members, func(a, b RealServer) int { return strings.Compare(*a.Address, *b.Address) })
}

func (p *Policy) exported(port *Port, b *Balancer, at string, e *kind.Export) L7Policy {
	out := L7Policy{Action: word(policyActions, p.Action), RedirectURL: text(p.URL), RedirectPrefix: text(p.Prefix), Rules: []L7Rule{}}
	if p.Code != 0 && p.Code != defaultRedirect {
		out.RedirectHTTPCode = &p.Code
	}
	if pool := b.pool(p.PoolID); pool != nil {
		redirect := pool.exported(port, at+".redirectPool", e)
		out.RedirectPool = &redirect
		e.Renames = append(e.Renames, at+".redirectPool.pool.name", at+".redirectPool.monitors[0].name")
	}
	for _, r := range p.Rules {
		rule := L7Rule{Type: word(ruleTypes, r.Type), CompareType: word(compareTypes, r.Compare), Key: text(r.Key), Value: r.Value}
		if r.Invert {
			rule.Invert = &r.Invert
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
}

func (m *HealthMonitor) exported() Monitor {
	out := Monitor{Protocol: word(monitorTypes, m.Type), Delay: &m.Delay, Timeout: &m.Timeout, Retries: &m.Retries, DomainName: text(m.Domain)}
	if m.RetriesDown != 0 && m.RetriesDown != defaultRetries {
		out.MaxRetriesDown = &m.RetriesDown
	}
	for _, usual := range []struct {
		have, usual string
		into        **string
	}{{m.Path, "/", &out.Endpoint}, {m.Method, "GET", &out.HTTPMethod}, {m.Codes, "200", &out.ExpectedCodes}} {
		if usual.have != usual.usual {
			*usual.into = text(usual.have)
		}
	}
	return out
}
