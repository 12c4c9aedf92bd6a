package neutron

import "github.com/stackreeve/stackreeve/internal/simulator/oslo"

type networkView struct {
	*Network
	*Provider // for admins
}

// viewNetwork says shared to those whom an RBAC policy shares a network with, too.
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

// viewNewNetwork shows is_default of every network, as Zed does in the answer
// to a create only.
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
