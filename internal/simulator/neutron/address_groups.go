package neutron

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// AddressGroup is an address group as the API shows it: without tags and times.
type AddressGroup struct {
	ID          string   `json:"id"`
	TenantID    string   `json:"tenant_id"`
	ProjectID   string   `json:"project_id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Addresses   []string `json:"addresses"`

	Standard `json:"-"`
}

func (n *Neutron) addAddressGroups() {
	n.addressGroups = &kind[AddressGroup]{n: n, name: "address_group", path: "address-groups", bare: true,
		standard: func(g *AddressGroup) *Standard { return &g.Standard },
		visible:  func(*oslo.Caller, *AddressGroup) bool { return false },
		missing: func(id string) *oslo.Error {
			return notFound("AddressGroupNotFound", "Address group %s could not be found.", id)
		},
		view: func(_ *oslo.Caller, g *AddressGroup) any { return g },
		create: func(_ *oslo.Call, v oslo.Values) (*AddressGroup, error) {
			s := n.standard(v.Text("project_id"), "")
			g := &AddressGroup{ID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, Standard: s}
			g.Addresses, _ = v["addresses"].([]string)
			n.addressGroups.store.Add(g)
			return g, nil
		},
		update: func(*oslo.Call, *AddressGroup, oslo.Values) error { return nil },
		remove: func(_ *oslo.Call, g *AddressGroup) error {
			for r := range n.rules.store.All() {
				if r.RemoteAddresses != nil && *r.RemoteAddresses == g.ID {
					return conflict("AddressGroupInUse", "Address group %s is in use on one or more security group rules.", g.ID)
				}
			}
			n.addressGroups.store.Remove(g.ID)
			return nil
		},
		undo: func(g *AddressGroup) { n.addressGroups.store.Remove(g.ID) },
	}
	n.addressGroups.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "description", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "addresses", Create: oslo.Anybody, Default: []string{}, Parse: cidrs},
	}
	n.addressGroups.register()
	n.handle("PUT", "address-groups/{id}/add_addresses", func(c *oslo.Call) (*oslo.Response, error) { return n.editAddresses(c, true) })
	n.handle("PUT", "address-groups/{id}/remove_addresses", func(c *oslo.Call) (*oslo.Response, error) { return n.editAddresses(c, false) })
}

// editAddresses mirrors db/address_group_db.py: add_addresses, remove_addresses. The body of such
// a request is not wrapped in the name of the resource: Zed answers 500 for a wrapped one.
func (n *Neutron) editAddresses(c *oslo.Call, add bool) (*oslo.Response, error) {
	g, err := n.addressGroups.owned(c.Caller, c.PathValue("id"), "update")
	if err != nil {
		return nil, err
	}
	var in map[string]any
	if !c.Decode(&in) || in["addresses"] == nil {
		return nil, oslo.Errorf(500, "HTTPInternalServerError", "no addresses")
	}
	parsed, err := cidrs("addresses", in["addresses"])
	if err != nil {
		return nil, err
	}
	asked, _ := parsed.([]string)
	var wrong []string
	for _, a := range asked {
		if slices.Contains(g.Addresses, a) == add {
			wrong = append(wrong, "'"+a+"'")
		}
	}
	switch {
	case len(wrong) > 0 && add:
		return nil, badRequest("Addresses %s already exist in the address group %s.", fmt.Sprint(wrong), g.ID)
	case len(wrong) > 0:
		return nil, notFound("AddressesNotFound", "Addresses %s not found in the address group %s.", fmt.Sprint(wrong), g.ID)
	case add:
		g.Addresses = sortedTags(append(slices.Clone(g.Addresses), asked...))
	default:
		g.Addresses = slices.DeleteFunc(slices.Clone(g.Addresses), func(a string) bool { return slices.Contains(asked, a) })
	}
	return oslo.OK(map[string]any{"address_group": g}), nil
}
