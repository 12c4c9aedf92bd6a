package virtualmachine

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// Names of the imports that stand for what nobody has named.
const (
	onlyNetwork  = "the-only-network"
	onlyExternal = "the-only-external-network"
)

const (
	hintNetwork  = "several networks could serve, or none; set spec.defaults.network in the stack's configuration, or spec.network"
	hintExternal = "several external networks could serve, or none; set spec.floatingIP.network"
)

// existing imports an object that the cloud has, by name or ID, unless the
// repository describes it. An empty name is none.
func existing(e *reconcile.Expansion, kind, name string) {
	if name != "" {
		e.Existing(kind, name, importOf(name), "")
	}
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func importOf(name string) fields {
	if uuid.MatchString(name) {
		return imported(fields{"id": name})
	}
	return imported(fields{"filter": fields{"name": name}})
}

func inNetwork(subnet, network string) fields {
	if uuid.MatchString(subnet) {
		return importOf(subnet)
	}
	return imported(fields{"filter": fields{"name": subnet, "networkRef": network}})
}

func imported(which fields) fields {
	return fields{"spec": fields{"managementPolicy": "unmanaged", "import": which}}
}

// chooseNetwork finds the name of the network that the machine is plugged into:
// its own, the stack's default, the only one of the repository, or the only
// one of the cloud.
func chooseNetwork(s *Spec, e *reconcile.Expansion) (name string, ok bool) {
	if name := cmp.Or(s.Network, e.Defaults.Network); name != "" {
		existing(e, "Network", name)
		return name, true
	}
	switch declared := e.Declared("Network"); len(declared) {
	case 0:
		e.Existing("Network", onlyNetwork, imported(fields{"filter": fields{"external": false}}), hintNetwork)
		return onlyNetwork, true
	case 1:
		return declared[0], true
	default:
		e.Problem("spec.network", "is missing, and the repository has the networks "+strings.Join(declared, ", "),
			"name one of them, or set spec.defaults.network in the stack's configuration")
		return "", false
	}
}

func chooseExternal(s *Spec, e *reconcile.Expansion) string {
	if name := s.FloatingIP.Network; name != "" {
		existing(e, "Network", name)
		return name
	}
	e.Existing("Network", onlyExternal, imported(fields{"filter": fields{"external": true}}), hintExternal)
	return onlyExternal
}
