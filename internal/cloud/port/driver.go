package port

import (
	"context"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var resource = cloud.NeutronKind{Collection: "ports", Singular: "port"}

type driver struct{ c *cloud.Client }

// live takes every status for Ready: a port that no machine uses is DOWN.
func (d driver) live(s *State) kind.Live[*State] {
	live := cloud.Live(d.c, s.NeutronBase, s)
	live.Uses = append([]string{s.NetworkID}, s.SecurityGroups...)
	live.Tokens, live.InUse = s.tokens(), s.DeviceID != ""
	live.Attr = map[string]string{"network_id": s.NetworkID}
	if cloud.IsRouterPort(s.DeviceOwner) {
		live.ShownAs = "RouterInterface"
	}
	for i, ip := range s.FixedIPs {
		live.Uses = append(live.Uses, ip.SubnetID)
		if i == 0 {
			live.Attr["address"], live.Attr["subnet_id"] = ip.IPAddress, ip.SubnetID
		}
	}
	return live
}

func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	return cloud.ListLive(ctx, d.c, resource, "", d.live)
}

func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	if err := w.Spec.ProjectRef.Check(d.c, w.Ref); err != nil {
		return kind.Live[*State]{}, err
	}
	want := w.Spec
	body := map[string]any{}
	for _, v := range want.ValueSpecs {
		body[v.Key] = *v.Value
	}
	body["name"], body["network_id"] = rules{}.Name(w), w.Ref("Network", want.NetworkRef).ID
	body["admin_state_up"], body["allowed_address_pairs"] = cloud.Or(want.AdminStateUp, true), pairs(want)
	body["binding:vnic_type"] = vnicType(want)
	if !want.anyAddress() {
		body["fixed_ips"] = addresses(w)
	}
	if !want.DefaultSecurityGroup || want.PortSecurity == "Disabled" {
		body["security_groups"] = groupIDs(w)
	}
	if want.MACAddress != "" {
		body["mac_address"] = want.MACAddress
	}
	if host := host(w); host != "" {
		body["binding:host_id"] = host
	}
	cloud.Put(body, "port_security_enabled", portSecurity(want))
	cloud.Put(body, "trusted", want.TrustedVIF)
	cloud.Put(body, "propagate_uplink_status", want.PropagateUplinkStatus)
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, w.Mark, labels(w))
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(made), nil
}

func addresses(w kind.Want[Spec]) []fixedIP {
	out := []fixedIP{}
	for _, a := range w.Spec.Addresses {
		out = append(out, fixedIP{SubnetID: w.Ref("Subnet", a.SubnetRef).ID, IPAddress: cloud.Or(a.IP, "")})
	}
	return out
}

func groupIDs(w kind.Want[Spec]) []string {
	out := []string{}
	for _, name := range w.Spec.SecurityGroupRefs {
		out = append(out, w.Ref("SecurityGroup", name).ID)
	}
	return out
}

// Update takes the groups and pairs off a port that loses its security: Neutron
// refuses to switch it off while they are there.
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	want := w.Spec
	fields := cloud.Changed(changes, map[string]cloud.Attribute{
		"spec.resource.name":                {Name: "name", Value: rules{}.Name(w)},
		"spec.resource.allowedAddressPairs": {Name: "allowed_address_pairs", Value: pairs(want)},
		"spec.resource.adminStateUp":        {Name: "admin_state_up", Value: cloud.Or(want.AdminStateUp, true)},
		"spec.resource.securityGroupRefs":   {Name: "security_groups", Value: groupIDs(w)},
		"spec.resource.vnicType":            {Name: "binding:vnic_type", Value: vnicType(want)},
		"spec.resource.portSecurity":        {Name: "port_security_enabled", Value: portSecurity(want)},
		"spec.resource.macAddress":          {Name: "mac_address", Value: want.MACAddress},
		"spec.resource.trustedVIF":          {Name: "trusted", Value: want.TrustedVIF},
	})
	if fields["port_security_enabled"] != nil && want.PortSecurity == "Disabled" {
		fields["security_groups"], fields["allowed_address_pairs"] = []string{}, []addressPair{}
	}
	return cloud.UpdateNeutron(ctx, d.c, resource, have.State.NeutronBase, changes, fields, w.Mark, labels(w))
}

// Delete refuses to pull a port out of a running machine, whoever runs it,
// unless another will take its place.
func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	if s := have.State; !have.Remade && s.DeviceID != "" && strings.HasPrefix(s.DeviceOwner, "compute:") {
		return false, fmt.Errorf("%w: server %s is plugged into it; detach it first", kind.ErrBusy, s.DeviceID)
	}
	return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
}
