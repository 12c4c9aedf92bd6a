package network

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var resource = cloud.NeutronKind{Collection: "networks", Singular: "network"}

type driver struct{ c *cloud.Client }

func (d driver) live(s *State) kind.Live[*State] {
	return cloud.Live(d.c, s.NeutronBase, s)
}

// List also returns the networks of others that the project can use: imports
// look for external and shared ones.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	return cloud.ListLive(ctx, d.c, resource, "", d.live)
}

func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	if err := w.Spec.ProjectRef.Check(d.c, w.Ref); err != nil {
		return kind.Live[*State]{}, err
	}
	want := w.Spec
	body := map[string]any{"name": rules{}.Name(w), "admin_state_up": cloud.Or(want.AdminStateUp, true)}
	cloud.Put(body, "dns_domain", want.DNSDomain)
	cloud.Put(body, "mtu", want.MTU)
	cloud.Put(body, "port_security_enabled", want.PortSecurityEnabled)
	cloud.Put(body, "router:external", want.External)
	cloud.Put(body, "shared", want.Shared)
	if want.AvailabilityZoneHints != nil {
		body["availability_zone_hints"] = want.AvailabilityZoneHints
	}
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, w.Mark, labels(w))
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(made), nil
}

func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	want := w.Spec
	fields := cloud.Changed(changes, map[string]cloud.Attribute{
		"spec.resource.name":                {Name: "name", Value: rules{}.Name(w)},
		"spec.resource.adminStateUp":        {Name: "admin_state_up", Value: cloud.Or(want.AdminStateUp, true)},
		"spec.resource.mtu":                 {Name: "mtu", Value: want.MTU},
		"spec.resource.portSecurityEnabled": {Name: "port_security_enabled", Value: want.PortSecurityEnabled},
		"spec.resource.external":            {Name: "router:external", Value: cloud.Or(want.External, false)},
		"spec.resource.shared":              {Name: "shared", Value: cloud.Or(want.Shared, false)},
	})
	return cloud.UpdateNeutron(ctx, d.c, resource, have.State.NeutronBase, changes, fields, w.Mark, labels(w))
}

func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
}
