package machine

import (
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// onlyExternal is the name of the import for the external network if no manifest names it.
const onlyExternal = "the-only-external-network"

const hintExternal = "the project has no external network, or several; set spec.floatingIP.network"

// External is the name of the network that the address comes from. The network is imported unless
// the repository describes it.
func (f *FloatingIP) External(e *kind.Expansion) string {
	if f.Network != "" {
		Existing(e, "Network", f.Network)
		return f.Network
	}
	e.Existing("Network", onlyExternal, imported(map[string]any{"filter": map[string]any{"external": true}}), hintExternal)
	return onlyExternal
}

// Existing imports an object of the cloud, by name or ID, unless the repository describes it. It
// does nothing for an empty name.
func Existing(e *kind.Expansion, kind, name string) {
	if name != "" {
		e.Existing(kind, name, Import(name), "")
	}
}

var uuid = pattern.Of(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Import is the manifest of an existing cloud object, by name or ID.
func Import(name string) map[string]any {
	if uuid.MatchString(name) {
		return imported(map[string]any{"id": name})
	}
	return imported(map[string]any{"filter": map[string]any{"name": name}})
}

// ImportIn does the same for one of several objects with the same name in different networks.
func ImportIn(name, network string) map[string]any {
	if uuid.MatchString(name) {
		return Import(name)
	}
	return imported(map[string]any{"filter": map[string]any{"name": name, "networkRef": network}})
}

func imported(which map[string]any) map[string]any {
	return map[string]any{"spec": map[string]any{"managementPolicy": "unmanaged", "import": which}}
}
