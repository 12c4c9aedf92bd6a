package nova

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (n *Nova) listSpecs(c *call) (*oslo.Response, error) {
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"extra_specs": f.Specs}), nil
}

var specsSchema = &pyjson.Schema{Types: []string{"object"}, Closed: true,
	Patterns: []pyjson.Prop{{Name: `^[a-zA-Z0-9-_:. ]{1,255}$`, Schema: &pyjson.Schema{Types: []string{"string", "number"}, MaxLength: 255}}}}

func (n *Nova) createSpecs(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-flavor-extra-specs:create")
	}
	body, err := c.read(wrapped("extra_specs", specsSchema))
	if err != nil {
		return nil, err
	}
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	in := body.Object("extra_specs")
	for _, key := range in.Keys() {
		f.Specs[key] = in.Text(key)
	}
	return oslo.OK(map[string]any{"extra_specs": pyjson.Plain(in)}), nil
}

func (n *Nova) showSpec(c *call) (*oslo.Response, error) {
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	key := c.PathValue("key")
	v, ok := f.Specs[key]
	if !ok {
		return nil, notFound("Flavor %s has no extra specs with key %s.", f.ID, key)
	}
	return oslo.OK(map[string]string{key: v}), nil
}

func (n *Nova) updateSpec(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-flavor-extra-specs:update")
	}
	body, err := c.read(specsSchema)
	if err != nil {
		return nil, err
	}
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	key := c.PathValue("key")
	if !body.Has(key) {
		return nil, badRequest("Request body and URI mismatch")
	}
	f.Specs[key] = body.Text(key)
	return oslo.OK(map[string]string{key: f.Specs[key]}), nil
}

func (n *Nova) deleteSpec(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-flavor-extra-specs:delete")
	}
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	key := c.PathValue("key")
	if _, ok := f.Specs[key]; !ok {
		return nil, notFound("Flavor %s has no extra specs with key %s.", f.ID, key)
	}
	delete(f.Specs, key)
	return &oslo.Response{Status: http.StatusOK}, nil
}

func (f *Flavor) access() any {
	out := []any{}
	for _, project := range f.Access {
		out = append(out, map[string]string{"flavor_id": f.ID, "tenant_id": project})
	}
	return map[string]any{"flavor_access": out}
}

func (n *Nova) listAccess(c *call) (*oslo.Response, error) {
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	if f.Public {
		return nil, notFound("Access list not available for public flavors.")
	}
	return oslo.OK(f.access()), nil
}

func (n *Nova) flavorAction(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-flavor-access:add_tenant_access")
	}
	var in struct {
		Add    *struct{ Tenant string } `json:"addTenantAccess"`
		Remove *struct{ Tenant string } `json:"removeTenantAccess"`
	}
	if !c.Decode(&in) || in.Add == nil && in.Remove == nil {
		return nil, badRequest("There is no such action")
	}
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	if in.Add != nil {
		if slices.Contains(f.Access, in.Add.Tenant) {
			return nil, conflict("Flavor access already exists for flavor %s and project %s combination.", f.ID, in.Add.Tenant)
		}
		f.Access = append(f.Access, in.Add.Tenant)
		return oslo.OK(f.access()), nil
	}
	at := slices.Index(f.Access, in.Remove.Tenant)
	if at < 0 {
		return nil, notFound("Flavor access not found for %s / %s combination.", f.ID, in.Remove.Tenant)
	}
	f.Access = slices.Delete(f.Access, at, at+1)
	return oslo.OK(f.access()), nil
}
