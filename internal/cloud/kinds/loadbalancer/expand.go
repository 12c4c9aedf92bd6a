package loadbalancer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Expand translates names of the stack's configuration into the cloud's names, and finds the ports of the pools'
// machines.
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
		p := &spec.Ports[i]
		expandServers(&p.RealServers, portField(i)+".realServers", e)
		if p.TLS != nil {
			p.TLS.expand(portField(i)+".tls", e)
		}
		for j := range p.L7Policies {
			if pool := p.L7Policies[j].RedirectPool; pool != nil {
				expandServers(&pool.RealServers, policyField(portField(i), j)+".redirectPool.realServers", e)
			}
		}
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
		fix += fmt.Sprintf(", or translate the name of the region: spec.defaults.regions: {%s: %s} in the stack's configuration", *spec.Region, r.defaults.Region)
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
		e.Problem("spec.vipNetwork", "is missing", "name the network of the address, or set spec.defaults.network in the stack's configuration")
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
	if spec.Flavor = flavor; flavor != "" && spec.Provider != nil && *spec.Provider == ovn {
		e.Problem("spec.serviceType", "is Octavia's flavor "+flavor+", and provider ovn has no flavors", "remove it, or use provider amphora")
	}
}

// unmapped reports a name in the manifest that the stack's configuration does not define.
func unmapped(e *kind.Expansion, field, word, config, meaning string, known map[string]string) {
	fix := fmt.Sprintf("add the value to the stack's configuration: %s: {%s: <%s>}", config, word, meaning)
	if near := nearest.Name(word, slices.Collect(maps.Keys(known))); near != "" {
		fix = fmt.Sprintf("did you mean %s? If not, %s", near, fix)
	}
	e.Problem(field, fmt.Sprintf("the value %q is not known", word), fix)
}

func expandServers(s *RealServers, field string, e *kind.Expansion) {
	r := refs{e: e}
	r.group(field+".virtualMachineGroupRef", s.VirtualMachineGroupRef)
	for i := range s.VirtualMachineRefs {
		r.machine(fmt.Sprintf("%s.virtualMachineRefs[%d]", field, i), &s.VirtualMachineRefs[i])
	}
	for i := range s.ServerRefs {
		r.server(fmt.Sprintf("%s.serverRefs[%d]", field, i), &s.ServerRefs[i])
	}
	s.PortRefs, s.PortlessRefs = r.sorted()
	s.GroupRefs = r.groups
	for i := range s.Members {
		m, at := &s.Members[i], fmt.Sprintf("%s.members[%d]", field, i)
		r := refs{e: e}
		r.group(at+".virtualMachineGroupRef", m.VirtualMachineGroupRef)
		r.machine(at+".virtualMachineRef", m.VirtualMachineRef)
		r.server(at+".serverRef", m.ServerRef)
		m.PortRefs, m.PortlessRefs = r.sorted()
		s.GroupRefs = append(s.GroupRefs, r.groups...)
	}
}

// refs collects the ports of machines, the servers without a known port, and the groups of machines.
type refs struct {
	e                       *kind.Expansion
	ports, portless, groups []string
}

func (r *refs) sorted() (ports, portless []string) {
	slices.Sort(r.ports)
	return slices.Compact(r.ports), r.portless
}

func (r *refs) group(field string, name *string) {
	if name == nil {
		return
	}
	if r.ports = append(r.ports, portsOf(r.e, field, "VirtualMachineGroup", *name)...); r.e.Declares("VirtualMachineGroup", *name) {
		r.groups = append(r.groups, *name)
	}
}

func (r *refs) machine(field string, name *string) {
	if name != nil {
		r.ports = append(r.ports, portsOf(r.e, field, "VirtualMachine", *name)...)
	}
}

// server adds the first port of a server. If the server is outside the repository, only the cloud knows its port.
func (r *refs) server(field string, name *string) {
	if name == nil {
		return
	}
	ports, ok := r.e.Referred("Server", *name, "Port")
	switch {
	case !ok && r.e.Declares("VirtualMachine", *name):
		r.e.Problem(field, fmt.Sprintf("refers to Server/%s, which is a part of VirtualMachine/%s", *name, *name), "name it in virtualMachineRefs")
	case !ok:
		r.e.Missing(field, "Server", *name, "")
	case len(ports) > 0:
		r.ports = append(r.ports, ports[0])
	default:
		r.portless = append(r.portless, *name)
	}
}

// portsOf returns one port for each machine of the named object. If a machine has several ports, it is the first.
func portsOf(e *kind.Expansion, field, kind, name string) []string {
	machines := []string{name}
	if kind != "VirtualMachine" {
		var ok bool
		if machines, ok = e.Members(kind, name, "VirtualMachine"); !ok {
			e.Missing(field, kind, name, "")
			return nil
		}
	}
	var ports []string
	for _, machine := range machines {
		names, ok := e.Members("VirtualMachine", machine, "Port")
		if !ok {
			e.Missing(field, "VirtualMachine", machine, "")
			continue
		}
		if len(names) > 0 {
			ports = append(ports, names[0])
		}
	}
	return ports
}
