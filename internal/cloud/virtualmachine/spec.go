// Package virtualmachine is the kind VirtualMachine: a machine that runs, said
// in few words. It stands for a port and a server of the same name, and for
// whatever of image, flavor, network, key pair and security groups the
// repository does not describe itself.
package virtualmachine

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a virtual machine shall be.
type Spec struct {
	machine.Template `json:",inline"`
	ServerGroup      string `json:"serverGroup,omitempty" doc:"Server group that it joins."`
}

type rules struct{}

// Kind is the kind VirtualMachine.
func Kind() kind.Kind {
	return kind.DefineWorkload(kind.Info{
		Group: cloud.WorkloadGroup, Version: "v1alpha1", Kind: "VirtualMachine", Aliases: []string{"verda.linecorp.com"},
		Doc: "A machine that runs. It stands for a Port and a Server of its name, a FloatingIP, a root Volume, further Volumes and Ports if asked for, and finds image, flavor, network, key pair and security groups by name.",
	}, rules{})
}

func (rules) Validate(s *Spec, r *kind.Report) { s.Template.Validate("spec", r) }

// Expand makes
//
//	Port/NAME          in the network, with the security groups
//	Port/NAME-PORT     for each of ports
//	Volume/NAME-root   if there is a rootVolume
//	Volume/NAME-VOLUME for each of volumes that is its own
//	Server/NAME        with those ports and volumes
//	FloatingIP/NAME    if there is a floatingIP
//
// and imports what they refer to.
func (rules) Expand(s *Spec, e *kind.Expansion) {
	network, ok := chooseNetwork(s, e)
	if ok = s.Template.Look("spec", e) && ok; !ok {
		return
	}
	machine.Existing(e, "Image", s.Image)
	machine.Existing(e, "Flavor", s.Flavor)
	machine.Existing(e, "KeyPair", s.KeyPair)
	machine.Existing(e, "ServerGroup", s.ServerGroup)
	plug(e.Key.Name, machine.Interface{Network: network, Subnet: s.Subnet, FixedIP: s.FixedIP, SecurityGroups: s.SecurityGroups}, e)
	for _, i := range s.Ports {
		machine.Existing(e, "Network", i.Network)
		plug(partName(e, i.Name), i, e)
	}
	for _, v := range s.Volumes {
		attach(v, s, e)
	}
	if root := s.RootVolume; root != nil {
		machine.Existing(e, "VolumeType", root.Type)
		e.Child("Volume", rootName(e), resource(rootVolume(s, zone(s, e))))
	}
	e.Child("Server", e.Key.Name, resource(server(s, e)))
	if s.FloatingIP != nil {
		cloud.NoteWay(e, "spec.floatingIP", network, strings.Fields(s.Subnet)) // one, or none
		e.Child("FloatingIP", e.Key.Name, resource(fields{"floatingNetworkRef": s.FloatingIP.External(e), "portRef": e.Key.Name}))
	}
}

// zone translates the words of the stack.
func zone(s *Spec, e *kind.Expansion) string {
	if zone, ok := e.Defaults.Zones[s.Zone]; ok {
		return zone
	}
	return s.Zone
}

func rootName(e *kind.Expansion) string { return partName(e, machine.RootName) }
