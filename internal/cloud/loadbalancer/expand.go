package loadbalancer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Expand says in the cloud's words what the manifest says in those of its
// stack, and finds the ports of the machines that answer.
func (rules) Expand(spec *Spec, e *kind.Expansion) {
	expandRegion(spec, e)
	expandNetwork(spec, e)
	expandServiceType(spec, e)
	if spec.Zone != nil {
		spec.AvailabilityZone = *spec.Zone
		if zone, ok := e.Defaults.Zones[*spec.Zone]; ok {
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

func expandRegion(spec *Spec, e *kind.Expansion) {
	if spec.Region == nil || e.Defaults.Region == "" {
		return
	}
	region, mapped := e.Defaults.Regions[*spec.Region]
	if !mapped {
		region = *spec.Region
	}
	if region == e.Defaults.Region {
		return
	}
	what, fix := fmt.Sprintf("is %s, but the stack works in region %s", region, e.Defaults.Region), "move the manifest to the stack of that region"
	if !mapped {
		fix += fmt.Sprintf(", or say what it is here: spec.defaults.regions: {%s: %s} in the stack's configuration", *spec.Region, e.Defaults.Region)
	}
	e.Problem("spec.region", what, fix)
}

func expandNetwork(spec *Spec, e *kind.Expansion) {
	switch {
	case spec.VIPNetwork != nil:
		spec.NetworkRef = *spec.VIPNetwork
	case spec.VIPType != nil:
		name, ok := e.Defaults.VIPNetworks[*spec.VIPType]
		if !ok || name == "" {
			unmapped(e, "spec.vipType", *spec.VIPType, "spec.defaults.vipNetworks", "name of a network", e.Defaults.VIPNetworks)
			return
		}
		spec.NetworkRef = name
	case e.Defaults.Network != "":
		spec.NetworkRef = e.Defaults.Network
	default:
		e.Problem("spec.vipNetwork", "is missing", "name the network that the address is on, or set spec.defaults.network in the stack's configuration")
		return
	}
	e.Existing("Network", spec.NetworkRef, machine.Import(spec.NetworkRef),
		fmt.Sprintf("the load balancer's address would be on network %s; correct %s or the stack's defaults, or add a Network manifest of that name", spec.NetworkRef, networkField(spec)))
	spec.SubnetRefs = e.Referring("Subnet", "Network", spec.NetworkRef)
}

func expandServiceType(spec *Spec, e *kind.Expansion) {
	if spec.ServiceType == nil {
		return
	}
	flavor, ok := e.Defaults.ServiceTypes[*spec.ServiceType]
	if !ok {
		unmapped(e, "spec.serviceType", *spec.ServiceType, "spec.defaults.serviceTypes", `name of an Octavia flavor, or "" for none`, e.Defaults.ServiceTypes)
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
		nobody(e, field, "Server", name)
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
			nobody(e, field, kind, name)
			return nil
		}
	}
	var ports []string
	for _, machine := range machines {
		names, ok := e.Members("VirtualMachine", machine, "Port")
		if !ok {
			nobody(e, field, "VirtualMachine", machine)
			continue
		}
		if len(names) > 0 {
			ports = append(ports, names[0])
		}
	}
	return ports
}

func nobody(e *kind.Expansion, field, kind, name string) {
	fix := "add a manifest for it in the same namespace"
	if near := e.Meant(kind, name); near != "" {
		fix = fmt.Sprintf("did you mean %s?", near)
	}
	e.Problem(field, fmt.Sprintf("refers to %s/%s, which is not in the repository", kind, name), fix)
}
