package machine

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// OfCluster describes the machines of a cluster. Values that it leaves out come from the stack's defaults.
type OfCluster struct {
	Image          string   `json:"image,omitempty" doc:"Image: one with cloud-init, systemd and Python, such as Debian 12."`
	Flavor         string   `json:"flavor,omitempty" doc:"Flavor: the size of each machine."`
	Network        string   `json:"network,omitempty" doc:"Network; the stack's default, or the only network, if left out."`
	Subnet         string   `json:"subnet,omitempty" doc:"Subnet of the addresses; the cloud decides if left out."`
	KeyPair        string   `json:"keyPair,omitempty" doc:"Key pair for SSH."`
	SecurityGroups []string `json:"securityGroups,omitempty" rule:"unique,max=16" doc:"Further security groups, besides the cluster's own."`
}

// Complete fills in the image and the flavor from a section of spec.defaults in the stack's configuration, and reports values that are in neither. m may be
// nil.
func (m *OfCluster) Complete(section, image, flavor string, e *kind.Expansion) (whole OfCluster, ok bool) {
	if m != nil {
		whole = *m
	}
	whole.Image, whole.Flavor = cmp.Or(whole.Image, image), cmp.Or(whole.Flavor, flavor)
	for _, needed := range [][2]string{{"image", whole.Image}, {"flavor", whole.Flavor}} {
		if needed[1] == "" {
			e.Problem("spec.machine."+needed[0], "is missing, and the stack's configuration has no spec.defaults."+section+"."+needed[0], "name it in either place")
		}
	}
	return whole, whole.Image != "" && whole.Flavor != ""
}

// Fields are the fields of an object that a cluster expands into.
type Fields map[string]any

// Put sets a field, unless value is empty.
func (f Fields) Put(name, value string) {
	if value != "" {
		f[name] = value
	}
}

// Fields are all given fields except security groups.
func (m *OfCluster) Fields() Fields {
	f := Fields{"image": m.Image, "flavor": m.Flavor}
	f.Put("network", m.Network)
	f.Put("subnet", m.Subnet)
	f.Put("keyPair", m.KeyPair)
	return f
}

// SecurityRules returns the rules of a cluster's security group. Machines reach each other at the ports in each. Clients reach them at the ports in open, from the
// given networks; nil means from anywhere.
func SecurityRules(group string, each [][2]int, clients []string, open [][2]int) []Fields {
	list := []Fields{{"direction": "egress", "ethertype": "IPv4"}, {"direction": "egress", "ethertype": "IPv6"}}
	ingress := func(family string, ports [2]int, from, value string) {
		list = append(list, Fields{"direction": "ingress", "ethertype": family, "protocol": "tcp", "portRange": Fields{"min": ports[0], "max": ports[1]}, from: value})
	}
	for _, ports := range each {
		ingress("IPv4", ports, "remoteGroupRef", group)
	}
	if clients == nil {
		clients = []string{"0.0.0.0/0"}
	}
	for _, from := range clients {
		family := "IPv4"
		if strings.Contains(from, ":") {
			family = "IPv6"
		}
		for _, ports := range open {
			ingress(family, ports, "remoteIPPrefix", from)
		}
	}
	return list
}
