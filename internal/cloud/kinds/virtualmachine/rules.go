package virtualmachine

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func (rules) Validate(s *Spec, r *kind.Report) { s.Template.Validate("spec", r) }

// onlyNetwork is the name of the imported network if nothing names a network.
const onlyNetwork = "the-only-network"

const hintNetwork = "the project has no network, or several; set spec.defaults.network in the stack's configuration, or spec.network"

// chooseNetwork returns the name of the machine's network: the one in the
// manifest, the stack's default, the only one of the repository, or the only
// one of the cloud.
func (r rules) chooseNetwork(s *Spec, e *kind.Expansion) (name string, ok bool) {
	if name := cmp.Or(s.Network, r.defaults.Network); name != "" {
		machine.Existing(e, "Network", name)
		return name, true
	}
	switch declared := e.Declared("Network"); len(declared) {
	case 0:
		e.Existing("Network", onlyNetwork, fields{"spec": fields{"managementPolicy": "unmanaged", "import": fields{"filter": fields{"external": false}}}}, hintNetwork)
		return onlyNetwork, true
	case 1:
		return declared[0], true
	default:
		e.Problem("spec.network", "is missing, but the repository has several networks: "+strings.Join(declared, ", "),
			"name one of them, or set spec.defaults.network in the stack's configuration")
		return "", false
	}
}

// zone returns the availability zone for a name that the stack's configuration
// defines, and any other name unchanged.
func (r rules) zone(s *Spec) string {
	if zone, ok := r.defaults.Zones[s.Zone]; ok {
		return zone
	}
	return s.Zone
}
