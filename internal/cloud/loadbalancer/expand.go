package loadbalancer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Expand says in the cloud's words what the manifest says in those of its
// stack, and finds the ports of the machines that answer.
func (r rules) Expand(spec *Spec, e *kind.Expansion) {
	r.expandRegion(spec, e)
	r.expandNetwork(spec, e)
	r.expandServiceType(spec, e)
	if spec.Zone != nil {
		spec.AvailabilityZone = *spec.Zone
		if zone, ok := r.defaults.Zones[*spec.Zone]; ok {
			spec.AvailabilityZone = zone
		}
	}
	if spec.FloatingIP != nil {
		e.Child("FloatingIP", e.Key.Name, map[string]any{"spec": map[string]any{"resource": map[string]any{
			"floatingNetworkRef": spec.FloatingIP.External(e), "loadBalancerRef": e.Key.Name}}})
	}
	for i := range spec.Ports {
		expandServers(&spec.Ports[i].RealServers, portField(i)+".realServers", e)
	}
}

func (r rules) expandRegion(spec *Spec, e *kind.Expansion) {
	if spec.Region == nil || r.defaults.Region == "" {
		return
	}
	region, mapped := r.defaults.Regions[*spec.Region]
	if !mapped {
		region = *spec.Region
	}
	if region == r.defaults.Region {
		return
	}
	what, fix := fmt.Sprintf("is %s, but the stack works in region %s", region, r.defaults.Region), "move the manifest to the stack of that region"
	if !mapped {
		fix += fmt.Sprintf(", or say what it is here: spec.defaults.regions: {%s: %s} in the stack's configuration", *spec.Region, r.defaults.Region)
	}
	e.Problem("spec.region", what, fix)
}

func (r rules) expandNetwork(spec *Spec, e *kind.Expansion) {
	switch {
	case spec.VIPNetwork != nil:
		spec.NetworkRef = *spec.VIPNetwork
	case spec.VIPType != nil:
		name, ok := r.defaults.VIPNetworks[*spec.VIPType]
		if !ok || name == "" {
			unmapped(e, "spec.vipType", *spec.VIPType, "spec.defaults.vipNetworks", "name of a network", r.defaults.VIPNetworks)
			return
		}
		spec.NetworkRef = name
	case r.defaults.Network != "":
		spec.NetworkRef = r.defaults.Network
	default:
		e.Problem("spec.vipNetwork", "is missing", "name the network that the address is on, or set spec.defaults.network in the stack's configuration")
		return
	}
	e.Existing("Network", spec.NetworkRef, machine.Import(spec.NetworkRef),
		fmt.Sprintf("the load balancer's address would be on network %s; correct %s or the stack's defaults, or add a Network manifest of that name", spec.NetworkRef, networkField(spec)))
	spec.SubnetRefs = e.Referring("Subnet", "Network", spec.NetworkRef)
}

func (r rules) expandServiceType(spec *Spec, e *kind.Expansion) {
	if spec.ServiceType == nil {
		return
	}
	flavor, ok := r.defaults.ServiceTypes[*spec.ServiceType]
	if !ok {
		unmapped(e, "spec.serviceType", *spec.ServiceType, "spec.defaults.serviceTypes", `name of an Octavia flavor, or "" for none`, r.defaults.ServiceTypes)
		return
	}
	spec.Flavor = flavor
}

// unmapped reports a word that the stack's configuration does not explain.
func unmapped(e *kind.Expansion, field, word, config, meaning string, known map[string]string) {
	fix := fmt.Sprintf("say what it means in the stack's configuration: %s: {%s: <%s>}", config, word, meaning)
	if near := nearest.Name(word, slices.Collect(maps.Keys(known))); near != "" {
		fix = fmt.Sprintf("did you mean %s? If not, %s", near, fix)
	}
	e.Problem(field, fmt.Sprintf("the value %q is not known", word), fix)
}

func expandServers(s *RealServers, field string, e *kind.Expansion) {
	s.PortRefs, s.PortlessRefs = nil, nil
	if s.VirtualMachineGroupRef != nil {
		s.PortRefs = append(s.PortRefs, portsOf(e, field+".virtualMachineGroupRef", "VirtualMachineGroup", *s.VirtualMachineGroupRef)...)
	}
	for i, name := range s.VirtualMachineRefs {
		s.PortRefs = append(s.PortRefs, portsOf(e, fmt.Sprintf("%s.virtualMachineRefs[%d]", field, i), "VirtualMachine", name)...)
	}
	for i, name := range s.ServerRefs {
		s.expandServer(fmt.Sprintf("%s.serverRefs[%d]", field, i), name, e)
	}
	slices.Sort(s.PortRefs)
	s.PortRefs = slices.Compact(s.PortRefs)
}

// expandServer finds the first port of a server. That of one that exists outside
// the repository is only known to the cloud.
func (s *RealServers) expandServer(field, name string, e *kind.Expansion) {
	ports, ok := e.Referred("Server", name, "Port")
	switch {
	case !ok && e.Declares("VirtualMachine", name):
		e.Problem(field, fmt.Sprintf("refers to Server/%s, which VirtualMachine/%s stands for", name, name), "name it in virtualMachineRefs")
	case !ok:
		notThere(e, field, "Server", name)
	case len(ports) > 0:
		s.PortRefs = append(s.PortRefs, ports[0])
	default:
		s.PortlessRefs = append(s.PortlessRefs, name)
	}
}

// portsOf names the port of each machine that the named object stands for: a
// machine with several is reached at its first.
func portsOf(e *kind.Expansion, field, kind, name string) []string {
	machines := []string{name}
	if kind != "VirtualMachine" {
		var ok bool
		if machines, ok = e.Members(kind, name, "VirtualMachine"); !ok {
			notThere(e, field, kind, name)
			return nil
		}
	}
	var ports []string
	for _, machine := range machines {
		names, ok := e.Members("VirtualMachine", machine, "Port")
		if !ok {
			notThere(e, field, "VirtualMachine", machine)
			continue
		}
		if len(names) > 0 {
			ports = append(ports, names[0])
		}
	}
	return ports
}

func notThere(e *kind.Expansion, field, kind, name string) {
	fix := "add a manifest for it in the same namespace"
	if near := e.Meant(kind, name); near != "" {
		fix = fmt.Sprintf("did you mean %s?", near)
	}
	e.Problem(field, fmt.Sprintf("refers to %s/%s, which is not in the repository", kind, name), fix)
}

// wanted are the listeners that Octavia shall have under the load balancer, with their
// pools.
func wanted(w kind.Want[Spec]) []*Listener {
	out := make([]*Listener, len(w.Spec.Ports))
	for i := range w.Spec.Ports {
		p := &w.Spec.Ports[i]
		own := child{Tags: []string{w.Mark.Owner}, field: portField(i)}
		l := &Listener{child: own, Name: fmt.Sprintf("%s-%d", w.Key.Name, p.Port), Protocol: strings.ToUpper(p.Protocol), Port: p.Port, AllowedCIDRs: p.AllowedCIDRs, Timeouts: p.Timeouts}
		if t := transport(p.Protocol); t != "tcp" {
			l.Name += "-" + t
		}
		spoken := strings.ToUpper(table.Or(p.RealServers.Protocol, p.Protocol))
		l.Pool = &Pool{child: own, Name: l.Name, Protocol: spoken, Algorithm: algorithms[table.Or(p.Algorithm, "roundRobin")]}
		l.Pool.fill(w, p)
		out[i] = l
	}
	return out
}

// fill adds the members and the monitor.
func (p *Pool) fill(w kind.Want[Spec], of *Port) {
	like := Member{child: child{Tags: p.Tags}, AdminStateUp: true, Weight: 1, Port: table.Or(of.RealServers.Port, of.Port)}
	if len(of.Monitors) > 0 {
		m := &of.Monitors[0]
		p.Monitor = m.wanted(p)
		if m.Port != nil && *m.Port != like.Port {
			like.MonitorPort = m.Port
		}
	}
	add := func(name, address, subnet string) {
		m := like
		m.Name, m.Address, m.SubnetID = name, table.IP(address), subnet
		if !slices.ContainsFunc(p.Members, func(o *Member) bool { return o.Address == m.Address }) {
			p.Members = append(p.Members, &m)
		}
	}
	refer := func(kind string, names []string) {
		for _, name := range names {
			if ref := w.Ref(kind, name); ref.Facts.Address == "" {
				p.missing = ref.Key.String()
			} else {
				add(name, ref.Facts.Address, ref.Facts.SubnetID)
			}
		}
	}
	refer("Port", of.RealServers.PortRefs)
	refer("Server", of.RealServers.PortlessRefs)
	for _, address := range of.RealServers.Addresses {
		add(address, address, "")
	}
}

// What Octavia calls what manifests say, where that is more than another case.
// (octavia_lib/common/constants.py)
var (
	algorithms = map[string]string{
		"roundRobin": "ROUND_ROBIN", "leastConnections": "LEAST_CONNECTIONS", "sourceIP": "SOURCE_IP", "sourceIPPort": "SOURCE_IP_PORT",
	}
	monitorTypes = map[string]string{"tls": "TLS-HELLO", "udp": "UDP-CONNECT"}
)

// What Octavia assumes, or demands without assuming anything.
const (
	defaultDelay   = 5
	defaultTimeout = 3
	defaultRetries = 3
)

func (m *Monitor) wanted(p *Pool) *HealthMonitor {
	out := &HealthMonitor{child: child{Tags: p.Tags, field: p.field + ".monitors[0]"}, Name: p.Name, Type: cmp.Or(monitorTypes[m.Protocol], strings.ToUpper(m.Protocol)),
		Delay: table.Or(m.Delay, defaultDelay), Timeout: table.Or(m.Timeout, defaultTimeout), Retries: table.Or(m.Retries, defaultRetries), RetriesDown: 3}
	if m.Protocol == "http" || m.Protocol == "https" {
		out.Method, out.Path, out.Codes = "GET", table.Or(m.Endpoint, "/"), "200"
	}
	return out
}
