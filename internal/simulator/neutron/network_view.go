package neutron

import "github.com/stackreeve/stackreeve/internal/simulator/oslo"

type networkView struct {
	*Network
	*Provider // only admins see it
}

// viewNetwork also shows shared as true to callers with whom an RBAC policy shares the network.
func (n *Neutron) viewNetwork(c *oslo.Caller, t *Network) any {
	if !t.Shared && c.ProjectID != t.ProjectID && n.sharedWith(c.ProjectID, t.ID) {
		shown := *t
		shown.Shared = true
		t = &shown
	}
	v := networkView{Network: t}
	if c.Admin() {
		v.Provider = t.Provider
	}
	return v
}

// viewNewNetwork shows is_default of every network. Zed does so only in the answer to a create.
func viewNewNetwork(c *oslo.Caller, t *Network) any {
	v := struct {
		networkView
		IsDefault bool `json:"is_default"`
	}{IsDefault: t.IsDefault != nil && *t.IsDefault}
	v.Network = t
	if c.Admin() {
		v.Provider = t.Provider
	}
	return v
}
