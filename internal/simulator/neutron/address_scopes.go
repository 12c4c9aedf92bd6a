package neutron

import (
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// AddressScope is an address scope as the API shows it: without description, tags and
// times.
type AddressScope struct {
	ID        string `json:"id"`
	TenantID  string `json:"tenant_id"`
	ProjectID string `json:"project_id"`
	Name      string `json:"name"`
	IPVersion int    `json:"ip_version"`
	Shared    bool   `json:"shared"`

	Standard `json:"-"`
}

func (n *Neutron) addAddressScopes() {
	n.addressScopes = &kind[AddressScope]{n: n, name: "address_scope", path: "address-scopes", bare: true,
		standard: func(a *AddressScope) *Standard { return &a.Standard },
		visible:  func(_ *oslo.Caller, a *AddressScope) bool { return a.Shared },
		missing: func(id string) *oslo.Error {
			return notFound("AddressScopeNotFound", "Address scope %s could not be found.", id)
		},
		view: func(_ *oslo.Caller, a *AddressScope) any { return a },
		create: func(_ *oslo.Call, v oslo.Values) (*AddressScope, error) {
			s := n.standard(v.Text("project_id"), "")
			a := &AddressScope{ID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, IPVersion: v.Number("ip_version"), Standard: s}
			n.addressScopes.store.Add(a)
			return a, nil
		},
		update: func(_ *oslo.Call, a *AddressScope, v oslo.Values) error {
			if shared, sent := v["shared"].(bool); sent && a.Shared && !shared {
				return oslo400("AddressScopeUpdateError", "Unable to update address scope %s : Shared address scope can't be unshared.", a.ID)
			}
			return nil
		},
		remove: func(_ *oslo.Call, a *AddressScope) error {
			for p := range n.subnetPools.store.All() {
				if p.ScopeID != nil && *p.ScopeID == a.ID {
					return conflict("AddressScopeInUse", "Unable to complete operation on address scope %s. There are one or more subnet pools in use on the address scope", a.ID)
				}
			}
			n.addressScopes.store.Remove(a.ID)
			return nil
		},
		undo: func(a *AddressScope) { n.addressScopes.store.Remove(a.ID) },
	}
	n.addressScopes.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "ip_version", Filter: true, Create: oslo.Anybody, Required: true, Parse: integer4or6},
		{Name: "shared", Plain: true, Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Default: false, Parse: boolean},
	}
	n.addressScopes.register()
}

func integer4or6(name string, v any) (any, *oslo.Error) {
	i, err := toInt(v)
	if err == nil && i != 4 && i != 6 {
		err = invalid(name, "%d is not in valid_values.", i)
	}
	return i, err
}
