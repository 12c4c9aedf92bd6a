package floatingip

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var resource = cloud.NeutronKind{Collection: "floatingips", Singular: "floatingip"}

type driver struct{ c *cloud.Client }

// live takes status DOWN for Ready: a floating IP that leads nowhere is DOWN.
func (d driver) live(s *State) kind.Live[*State] {
	live := cloud.Live(d.c, s.NeutronBase, s)
	live.Name = s.FloatingIP
	live.Attr = map[string]string{"address": s.FloatingIP}
	live.Uses, live.InUse = []string{s.FloatingNetworkID}, s.PortID != ""
	for _, id := range []string{s.PortID, s.RouterID} {
		if id != "" {
			live.Uses = append(live.Uses, id)
		}
	}
	if s.Status == "ERROR" {
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR"
	}
	return live
}

func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	return cloud.ListLive(ctx, d.c, resource, "", d.live)
}

// Create takes an address that leads to the port at once where one request can say
// all of it. Elsewhere it leads there with the last request: while it leads to a port
// with several addresses, Neutron refuses every update that does not say so again.
func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	if err := w.Spec.ProjectRef.Check(d.c, w.Ref); err != nil {
		return kind.Live[*State]{}, err
	}
	want := w.Spec
	body := map[string]any{}
	if want.FloatingNetworkRef != nil {
		body["floating_network_id"] = w.Ref("Network", *want.FloatingNetworkRef).ID
	}
	if want.FloatingSubnetRef != nil {
		subnet := w.Ref("Subnet", *want.FloatingSubnetRef)
		body["floating_network_id"], body["subnet_id"] = subnet.Attr["network_id"], subnet.ID
	}
	cloud.Put(body, "floating_ip_address", want.FloatingIP)
	_, port := target(w)
	mark, last := w.Mark, map[string]any{}
	if port.Name != "" {
		associate(last, w)
		one, err := d.c.OneRequest(ctx, mark, labels(want))
		if err != nil {
			return kind.Live[*State]{}, err
		}
		if one {
			maps.Copy(body, last)
			clear(last)
		} else {
			mark = cloud.Begun(mark)
		}
	}
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, mark, labels(want))
	if err == nil && len(last) > 0 {
		err = cloud.FinishNeutron(ctx, d.c, resource, &made.NeutronBase, made, last, w.Mark, labels(want))
	}
	if port.Name != "" {
		err = unreachable(err)
	}
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(made), nil
}

// associate puts where the address leads into a request. Neutron wants port and
// address together.
func associate(body map[string]any, w kind.Want[Spec]) {
	_, port := target(w)
	if port.Name == "" {
		body["port_id"] = nil
		return
	}
	body["port_id"] = port.ID
	cloud.Put(body, "fixed_ip_address", w.Spec.FixedIP)
}

// unreachable explains Neutron's 404 to a port that no router connects with
// the external network: the way may still come up. Only the text of the answer
// goes on, for the floating IP itself is not gone.
func unreachable(err error) error {
	if errors.Is(err, kind.ErrGone) {
		return fmt.Errorf("%w: no way yet from the external network to the port; it needs a Router with that network as its gateway and a RouterInterface to the port's subnet: %s", kind.ErrNotYet, err.Error())
	}
	return err
}

// Update says again where the address leads whenever it writes the description;
// see Create.
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	base, fields := have.State.NeutronBase, map[string]any{}
	moved := kind.Has(changes, "spec.resource.portRef") || kind.Has(changes, "spec.resource.loadBalancerRef") || kind.Has(changes, "spec.resource.fixedIP")
	switch {
	case moved:
		associate(fields, w)
		base.Revision = 0 // where it leads is written on no condition
	case have.State.PortID != "" && (base.MarkInDescription() || kind.Has(changes, "spec.resource.description")):
		fields["port_id"], fields["fixed_ip_address"] = have.State.PortID, have.State.FixedIP
	}
	err := cloud.UpdateNeutron(ctx, d.c, resource, base, changes, fields, w.Mark, labels(w.Spec))
	if moved {
		err = unreachable(err)
	}
	return err
}

func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
}
