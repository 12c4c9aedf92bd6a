package floatingip

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type (
	state  = cloud.NeutronState[Spec, More]
	driver = cloud.NeutronDriver[Spec, More]
)

// observe takes status DOWN for Ready: a floating IP that leads nowhere is DOWN.
func observe(s *state, live *kind.Live[*state]) {
	live.Name = cloud.Or(s.Spec.FloatingIP, "")
	live.Attr = map[string]string{"address": live.Name}
	live.Uses, live.InUse = []string{cloud.Or(s.Spec.FloatingNetworkRef, "")}, cloud.Or(s.Spec.PortRef, "") != ""
	for _, id := range []string{cloud.Or(s.Spec.PortRef, ""), s.More.RouterID} {
		if id != "" {
			live.Uses = append(live.Uses, id)
		}
	}
	if s.More.Status == "ERROR" {
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR"
	}
}

func addresses(s *state) []string { return []string{cloud.Or(s.Spec.FloatingIP, "")} }

// writeSubnet puts the subnet that the address is from, and the network of that.
func writeSubnet(w kind.Want[Spec], _ *table.Object[Spec, More], body map[string]any) {
	if w.Spec.FloatingSubnetRef != nil {
		subnet := w.Ref("Subnet", *w.Spec.FloatingSubnetRef)
		body["floating_network_id"], body["subnet_id"] = subnet.Attr["network_id"], subnet.ID
	}
}

// create takes an address that leads to the port at once where one request can say
// all of it. Elsewhere it leads there with the last request: while it leads to a port
// with several addresses, Neutron refuses every update that does not say so again.
func create(ctx context.Context, d driver, w kind.Want[Spec]) (made *state, err error) {
	body, mark, labels, last := d.Creation(w), w.Mark, d.Labels(w), map[string]any{}
	_, port := target(w)
	if port.Name != "" {
		associate(last, w)
		one, err := d.Client.OneRequest(ctx, mark, labels)
		if err != nil {
			return nil, err
		}
		if one {
			maps.Copy(body, last)
			clear(last)
		} else {
			mark = cloud.Begun(mark)
		}
	}
	made, err = cloud.CreateNeutron[state](ctx, d.Client, d.Resource, body, mark, labels)
	if err == nil && len(last) > 0 {
		err = cloud.FinishNeutron(ctx, d.Client, d.Resource, &made.NeutronBase, made, last, w.Mark, labels)
	}
	if port.Name != "" {
		err = unreachable(err)
	}
	return made, err
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

// update says again where the address leads whenever it writes the description; see
// create. Where it leads is written on no condition.
func update(ctx context.Context, d driver, change cloud.NeutronChange[Spec, More]) error {
	now := change.Have.State.NeutronBase
	moved := false
	for _, field := range []string{"portRef", "loadBalancerRef", "fixedIP"} {
		moved = moved || kind.Has(change.Changes, table.Path(field))
	}
	switch {
	case moved:
		associate(change.Fields, change.Want)
		now.Revision = 0
	case cloud.Or(change.Have.State.Spec.PortRef, "") != "" && (now.MarkInDescription() || kind.Has(change.Changes, table.Path("description"))):
		change.Fields["port_id"], change.Fields["fixed_ip_address"] = cloud.Or(change.Have.State.Spec.PortRef, ""), cloud.Or(change.Have.State.Spec.FixedIP, "")
	}
	err := d.Write(ctx, now, change)
	if moved {
		err = unreachable(err)
	}
	return err
}
