package subnet

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var resource = cloud.NeutronKind{Collection: "subnets", Singular: "subnet"}

type driver struct{ c *cloud.Client }

func (d driver) live(s *State) kind.Live[*State] {
	live := cloud.Live(d.c, s.NeutronBase, s)
	live.Uses = []string{s.NetworkID}
	live.Attr = map[string]string{"network_id": s.NetworkID, "gateway_ip": s.GatewayIP, "cidr": s.CIDR}
	return live
}

// List also returns the subnets of networks that others share: imports look
// for them.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	return cloud.ListLive(ctx, d.c, resource, "", d.live)
}

func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	if err := w.Spec.ProjectRef.Check(d.c, w.Ref); err != nil {
		return kind.Live[*State]{}, err
	}
	want := w.Spec
	body := map[string]any{
		"name": rules{}.Name(w), "network_id": w.Ref("Network", want.NetworkRef).ID, "ip_version": want.IPVersion, "cidr": want.CIDR,
		"enable_dhcp": cloud.Or(want.EnableDHCP, true), "dns_nameservers": normalAll(want.DNSNameservers), "host_routes": routes(want),
	}
	cloud.Put(body, "dns_publish_fixed_ip", want.DNSPublishFixedIP)
	if want.AllocationPools != nil {
		body["allocation_pools"] = want.AllocationPools
	}
	if want.Gateway != nil && want.Gateway.Type != "Automatic" {
		body["gateway_ip"] = gatewayValue(want, "")
	}
	v6 := cloud.Or(want.IPv6, IPv6{})
	cloud.Put(body, "ipv6_address_mode", v6.AddressMode)
	cloud.Put(body, "ipv6_ra_mode", v6.RAMode)
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, w.Mark, labels(w))
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(made), nil
}

func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	want := w.Spec
	fields := cloud.Changed(changes, map[string]cloud.Attribute{
		"spec.resource.name":            {Name: "name", Value: rules{}.Name(w)},
		"spec.resource.allocationPools": {Name: "allocation_pools", Value: want.AllocationPools},
		"spec.resource.enableDHCP":      {Name: "enable_dhcp", Value: cloud.Or(want.EnableDHCP, true)},
		"spec.resource.dnsNameservers":  {Name: "dns_nameservers", Value: normalAll(want.DNSNameservers)},
		"spec.resource.hostRoutes":      {Name: "host_routes", Value: routes(want)},
	})
	if kind.Has(changes, "spec.resource.gateway") {
		fields["gateway_ip"] = gatewayValue(want, have.State.GatewayIP)
	}
	return cloud.UpdateNeutron(ctx, d.c, resource, have.State.NeutronBase, changes, fields, w.Mark, labels(w))
}

func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
}

// gatewayValue is the gateway as Neutron takes it: null for none.
func gatewayValue(s *Spec, have string) any {
	if ip := gateway(s, have); ip != "" {
		return ip
	}
	return nil
}

func routes(s *Spec) []stateRoute {
	out := []stateRoute{}
	for _, r := range s.HostRoutes {
		out = append(out, stateRoute(r))
	}
	return out
}
