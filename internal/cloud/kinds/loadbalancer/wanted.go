package loadbalancer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// wanted returns the listeners that the load balancer must have, with their pools and L7 policies.
func wanted(w typed.Want[Spec]) []*Listener {
	out := make([]*Listener, len(w.Spec.Ports))
	for i := range w.Spec.Ports {
		out[i] = w.Spec.Ports[i].wanted(w, child{field: portField(i)})
	}
	return out
}

func (p *Port) wanted(w typed.Want[Spec], own child) *Listener {
	l := &Listener{child: own, Name: fmt.Sprintf("%s-%d", w.Key.Name, p.Port), Protocol: octaviaName(protocols, p.Protocol), Port: p.Port,
		AllowedCIDRs: p.AllowedCIDRs, Timeouts: p.Timeouts, Limit: table.Or(p.ConnectionLimit, 0)}
	if t := transport(p.Protocol); t != "tcp" {
		l.Name += "-" + t
	}
	for _, name := range p.InsertHeaders {
		l.Headers = append(l.Headers, header{name, "true"})
	}
	if t := p.TLS; t != nil {
		l.Certificate, l.Hosts, l.ClientCA, l.ClientCRL = secretAddress(w, table.Or(t.BarbicanRef, "")), t.hosts(w), secretAddress(w, table.Or(t.ClientCABarbicanRef, "")), secretAddress(w, table.Or(t.ClientCRLBarbicanRef, ""))
		l.Ciphers, l.Versions, l.ALPN, l.ClientAuth = table.Or(t.Ciphers, ""), t.Versions, t.ALPNProtocols, strings.ToUpper(table.Or(t.ClientAuthentication, ""))
	}
	l.Pool = p.answers().wanted(w, own, l.Name, p)
	l.Policies = p.policies(w, l)
	return l
}

// answers returns the fields of a port that a redirect pool has, too.
func (p *Port) answers() *RedirectPool {
	return &RedirectPool{p.Algorithm, p.SessionPersistence, p.RealServers, p.Monitors}
}

// spoken returns the protocol of the machines.
func (r *RedirectPool) spoken(p *Port) string {
	if p.Protocol == "terminatedHTTPS" {
		return table.Or(r.RealServers.Protocol, "http")
	}
	return table.Or(r.RealServers.Protocol, p.Protocol)
}

// wanted returns the pool that r declares, with its members and its monitor.
func (r *RedirectPool) wanted(w typed.Want[Spec], own child, name string, of *Port) *Pool {
	p := &Pool{child: own, Name: name, Protocol: strings.ToUpper(r.spoken(of)), Algorithm: algorithms[w.Spec.spread(r.Algorithm)]}
	if s := r.SessionPersistence; s != nil {
		p.Persistence = persistence{persistences[s.Type], table.Or(s.CookieName, ""), table.Or(s.Timeout, 0), table.Or(s.Granularity, "")}
	}
	like := Member{AdminStateUp: true, Weight: 1, Port: table.Or(r.RealServers.Port, of.Port)}
	var asked *int
	if len(r.Monitors) > 0 {
		p.Monitor, asked = r.Monitors[0].wanted(p), r.Monitors[0].Port
	}
	for i := range r.RealServers.Members {
		m, own := &r.RealServers.Members[i], like
		own.Port, own.Weight, own.Backup = table.Or(m.Port, like.Port), table.Or(m.Weight, 1), table.Or(m.Backup, false)
		p.add(w, own, asked, m.PortRefs, m.PortlessRefs)
		if m.Address != nil {
			p.member(own, asked, *m.Address, *m.Address, "")
		}
	}
	p.add(w, like, asked, r.RealServers.PortRefs, r.RealServers.PortlessRefs)
	for _, address := range r.RealServers.Addresses {
		p.member(like, asked, address, address, "")
	}
	return p
}

// add adds the members for the given ports and servers.
func (p *Pool) add(w typed.Want[Spec], like Member, asked *int, ports, servers []string) {
	refer := func(to string, names []string) {
		for _, name := range names {
			if ref := w.Ref(to, name); ref.Spare {
				continue
			} else if ref.Facts.Address == "" {
				p.missing = ref.Key.String()
			} else {
				one := like
				if one.traffic = ref.Traffic; ref.Traffic == kind.TrafficEnds {
					one.Weight = 0
				}
				p.member(one, asked, name, ref.Facts.Address, ref.Facts.SubnetID)
			}
		}
	}
	refer("Port", ports)
	refer("Server", servers)
}

// member adds one member, unless the pool already has a member with that address and port. The argument asked is the port at which
// the monitor checks the member, or nil for the member's own port.
func (p *Pool) member(like Member, asked *int, name, address, subnet string) {
	m := like
	m.Name, m.Address, m.SubnetID = name, table.IP(address), subnet
	if asked != nil && *asked != m.Port {
		m.MonitorPort = asked
	}
	if !slices.ContainsFunc(p.Members, func(o *Member) bool { return o.Address == m.Address && o.Port == m.Port }) {
		p.Members = append(p.Members, &m)
	}
}

// policies returns the L7 policies of the listener l, in the order of their evaluation.
func (p *Port) policies(w typed.Want[Spec], l *Listener) []*Policy {
	out := make([]*Policy, len(p.L7Policies))
	for i := range p.L7Policies {
		spec := &p.L7Policies[i]
		own := child{field: policyField(l.field, i)}
		one := &Policy{child: own, Name: l.Name + "-" + spec.name(i), Up: true, Position: table.Or(spec.Position, math.MaxInt32), Action: policyActions[spec.Action],
			URL: table.Or(spec.RedirectURL, ""), Prefix: table.Or(spec.RedirectPrefix, ""), Code: table.Or(spec.RedirectHTTPCode, 0)}
		if spec.Name == nil {
			one.number = i + 1
		}
		if one.URL+one.Prefix != "" && one.Code == 0 {
			one.Code = defaultRedirect
		}
		for _, r := range spec.Rules {
			one.Rules = append(one.Rules, &Rule{Up: true, Type: ruleTypes[r.Type], Compare: compareTypes[r.CompareType], Key: table.Or(r.Key, ""), Value: r.Value,
				Invert: table.Or(r.Invert, false)})
		}
		if spec.RedirectPool != nil {
			own.field += ".redirectPool"
			one.Pool = spec.RedirectPool.wanted(w, own, one.Name, p)
		}
		out[i] = one
	}
	slices.SortStableFunc(out, func(a, b *Policy) int { return a.Position - b.Position })
	for i := range out {
		out[i].Position = 0 // the position is not compared, because Octavia numbers the policies from 1 without gaps
	}
	return out
}

// name returns the name of the policy, or its number if it has none.
func (p *L7Policy) name(i int) string { return table.Or(p.Name, strconv.Itoa(i+1)) }

func policyField(port string, i int) string { return fmt.Sprintf("%s.l7Policies[%d]", port, i) }

// Octavia's names for values in manifests, if they differ in more than capital letters.
// (octavia_lib/common/constants.py)
var (
	algorithms = map[string]string{
		"roundRobin": "ROUND_ROBIN", "leastConnections": "LEAST_CONNECTIONS", "sourceIP": "SOURCE_IP", "sourceIPPort": "SOURCE_IP_PORT",
	}
	monitorTypes = map[string]string{"tls": "TLS-HELLO", "udp": "UDP-CONNECT"}
	protocols    = map[string]string{"terminatedHTTPS": "TERMINATED_HTTPS"}
	persistences = map[string]string{"sourceIP": "SOURCE_IP", "httpCookie": "HTTP_COOKIE", "appCookie": "APP_COOKIE"}

	policyActions = map[string]string{"redirectToPool": "REDIRECT_TO_POOL", "redirectToUrl": "REDIRECT_TO_URL", "redirectPrefix": "REDIRECT_PREFIX", "reject": "REJECT"}
	ruleTypes     = map[string]string{"hostName": "HOST_NAME", "path": "PATH", "fileType": "FILE_TYPE", "header": "HEADER", "cookie": "COOKIE",
		"sslConnHasCert": "SSL_CONN_HAS_CERT", "sslVerifyResult": "SSL_VERIFY_RESULT", "sslDNField": "SSL_DN_FIELD"}
	compareTypes = map[string]string{"regex": "REGEX", "startsWith": "STARTS_WITH", "endsWith": "ENDS_WITH", "contains": "CONTAINS", "equalTo": "EQUAL_TO"}
)

// octaviaName returns Octavia's name for a value: the name in names, or else the value in capitals.
func octaviaName(names map[string]string, word string) string {
	return cmp.Or(names[word], strings.ToUpper(word))
}

// word returns the manifest's value for one of Octavia's names.
func word(names map[string]string, name string) string {
	for w, n := range names {
		if n == name {
			return w
		}
	}
	return strings.ToLower(name)
}

// Values that Octavia uses as defaults, or requires without having a default.
const (
	defaultDelay   = 5
	defaultTimeout = 3
	defaultRetries = 3
	// defaultRedirect is the HTTP status of redirections.
	defaultRedirect = 302
)

func (m *Monitor) wanted(p *Pool) *HealthMonitor {
	out := &HealthMonitor{child: child{field: p.field + ".monitors[0]"}, Name: p.Name, Type: octaviaName(monitorTypes, m.Protocol),
		Delay: table.Or(m.Delay, defaultDelay), Timeout: table.Or(m.Timeout, defaultTimeout), Retries: table.Or(m.Retries, defaultRetries), RetriesDown: table.Or(m.MaxRetriesDown, defaultRetries)}
	if m.Protocol == "http" || m.Protocol == "https" {
		out.Method, out.Path, out.Codes = table.Or(m.HTTPMethod, "GET"), table.Or(m.Endpoint, "/"), table.Or(m.ExpectedCodes, "200")
		if m.DomainName != nil {
			out.Domain, out.Version = *m.DomainName, 1.1 // HTTP 1.0, Octavia's default, sends no host names
		}
	}
	return out
}
