package floatingip

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile"
)

var resource = cloud.NeutronKind{Collection: "floatingips", Singular: "floatingip"}

type driver struct{ c *cloud.Client }

// live takes status DOWN for Ready: a floating IP that leads nowhere is DOWN.
func (d driver) live(s *State) reconcile.Live[*State] {
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
		live.Phase, live.Message = reconcile.Degraded, "the cloud reports status ERROR"
	}
	return live
}

func (d driver) List(ctx context.Context) ([]reconcile.Live[*State], error) {
	return cloud.ListLive(ctx, d.c, resource, "", d.live)
}

// Create takes an address and then says where it leads, in a request of its
// own: while it leads to a port with several addresses, Neutron refuses every
// update that does not say so again, and giving it its tags and description
// may take updates. A kill in between leaves what Diff finds wanting.
func (d driver) Create(ctx context.Context, w reconcile.Want[Spec]) (reconcile.Live[*State], error) {
	if err := w.Spec.ProjectRef.Check(d.c, w.Ref); err != nil {
		return reconcile.Live[*State]{}, err
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
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, w.Mark, labels(want))
	if err != nil {
		return reconcile.Live[*State]{}, err
	}
	if _, port := target(w); port.Name != "" {
		if made, err = d.lead(ctx, made.ID, w); err != nil {
			return reconcile.Live[*State]{}, err
		}
	}
	return d.live(made), nil
}

// lead makes a floating IP lead where the manifest says.
func (d driver) lead(ctx context.Context, id string, w reconcile.Want[Spec]) (*State, error) {
	fields := map[string]any{}
	associate(fields, w)
	var answer struct {
		FloatingIP State `json:"floatingip"`
	}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "floatingips/" + id,
		Body: map[string]any{"floatingip": fields}, Into: &answer})
	return &answer.FloatingIP, unreachable(err)
}

// associate puts where the address leads into a request. Neutron wants port and
// address together.
func associate(body map[string]any, w reconcile.Want[Spec]) {
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
	if errors.Is(err, reconcile.ErrGone) {
		return fmt.Errorf("%w: no way yet from the external network to the port; it needs a Router with that network as its gateway and a RouterInterface to the port's subnet: %s", reconcile.ErrNotYet, err.Error())
	}
	return err
}

// Update repeats where the address leads when only its description changes,
// and finishes a half-made one before it leads anywhere; see Create.
func (d driver) Update(ctx context.Context, w reconcile.Want[Spec], have reconcile.Live[*State], changes []reconcile.Change) error {
	state, fields := have.State, map[string]any{}
	moved := reconcile.Has(changes, "spec.resource.portRef") || reconcile.Has(changes, "spec.resource.loadBalancerRef") || reconcile.Has(changes, "spec.resource.fixedIP")
	halfMade := have.Mark != nil && have.Mark.Applied == ""
	if moved && !halfMade {
		now, err := d.lead(ctx, have.ID, w)
		if err != nil {
			return err
		}
		state = now
	}
	if state.PortID != "" && !halfMade && reconcile.Has(changes, "spec.resource.description") {
		fields["port_id"], fields["fixed_ip_address"] = state.PortID, state.FixedIP
	}
	if err := cloud.UpdateNeutron(ctx, d.c, resource, state.NeutronBase, changes, fields, w.Mark, labels(w.Spec)); err != nil {
		return err
	}
	if moved && halfMade {
		_, err := d.lead(ctx, have.ID, w)
		return err
	}
	return nil
}

func (d driver) Delete(ctx context.Context, have reconcile.Live[*State]) (bool, error) {
	return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
}
