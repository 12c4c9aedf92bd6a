// Package virtualmachine is the kind VirtualMachine: a running machine, described in few words. It
// expands into a port and a server of the same name. If the repository does not declare the image,
// flavor, network, key pair or security groups, it imports them.
package virtualmachine

import (
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared virtual machine.
type Spec struct {
	machine.Template `json:",inline"`
	ServerGroup      string `json:"serverGroup,omitempty" doc:"Server group of the server."`
}

type rules struct{ defaults defaults.Defaults }

// Kind is the kind VirtualMachine. d are the defaults for omitted fields.
func Kind(d defaults.Defaults) *kind.Kind {
	r := rules{d}
	return typed.Workload[Spec]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "VirtualMachine", Short: "vm", Aliases: []string{"verda.linecorp.com"}, Parts: []string{"Port", "Volume", "VolumeSnapshotSchedule", "Server", "FloatingIP"},
			Doc: "A running machine. It expands to a Port and a Server with its name. If its manifest asks for them, it also expands to a FloatingIP, a root Volume, and further Volumes and Ports. It finds image, flavor, network, key pair and security groups by name.",
		},
		Validate: r.Validate, Expand: r.Expand,
	}.Kind()
}
