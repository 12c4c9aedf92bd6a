package routerinterface

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var resource = cloud.NeutronKind{Collection: "ports", Singular: "port"}

type driver struct{ c *cloud.Client }

func (d driver) live(s *State) kind.Live[*State] {
	live := cloud.Live(d.c, s.NeutronBase, s)
	if s.DeviceID != "" {
		live.Uses, live.InUse = append(live.Uses, s.DeviceID), true
	} else if live.Mark != nil && live.Mark.Applied != "" {
		live.Mark.Applied = kind.Unreadable // it was never attached: whoever detaches one deletes it
	}
	for _, ip := range s.FixedIPs {
		live.Uses = append(live.Uses, ip.SubnetID)
	}
	return live
}

// List returns the routers' interfaces in the project. A port that was made
// for one and is not attached yet already says that it is one.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	ports, err := cloud.ListNeutron[State](ctx, d.c, resource, "?project_id="+d.c.ProjectID)
	if err != nil {
		return nil, err
	}
	var out []kind.Live[*State]
	for i := range ports {
		if ports[i].isInterface() {
			out = append(out, d.live(&ports[i]))
		}
	}
	return out, nil
}

// Create makes a port with the subnet's gateway address, marked like any other
// port, and attaches it. A kill in between leaves a port that Diff reports as
// not attached. No security group is on it, as on the ports that Neutron makes
// for routers itself.
func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	router, subnet := w.Ref("Router", w.Spec.RouterRef), w.Ref("Subnet", w.Spec.SubnetRef)
	address := fixedIP{SubnetID: subnet.ID, IPAddress: subnet.Attr["gateway_ip"]}
	body := map[string]any{
		"name": w.Key.Name, "network_id": subnet.Attr["network_id"], "device_owner": "network:router_interface",
		"security_groups": []string{}, "fixed_ips": []fixedIP{address},
	}
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, w.Mark, cloud.Labels{})
	if errors.Is(err, kind.ErrBusy) && address.IPAddress != "" {
		return kind.Live[*State]{}, d.explainBusy(ctx, w, address, subnet.Attr["network_id"], err)
	}
	if err != nil {
		return kind.Live[*State]{}, err
	}
	if err := d.attach(ctx, router.ID, made.ID); err != nil {
		return kind.Live[*State]{}, err
	}
	made.DeviceID = router.ID
	return d.live(made), nil
}

func (d driver) attach(ctx context.Context, router, port string) error {
	return d.c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/add_router_interface",
		Body: map[string]any{"port_id": port}})
}

// explainBusy finds out who has the subnet's gateway address. A port of another
// RouterInterface may be on its way out; one that no stack made stays, and a
// person has to decide.
func (d driver) explainBusy(ctx context.Context, w kind.Want[Spec], address fixedIP, network string, busy error) error {
	query := url.Values{"network_id": {network}, "fixed_ips": {"ip_address=" + address.IPAddress}}
	holders, err := cloud.ListNeutron[State](ctx, d.c, resource, "?"+query.Encode())
	if err != nil {
		return err
	}
	for i := range holders {
		h := &holders[i]
		held := fmt.Sprintf("the gateway address %s of subnet %s is held by port %s (%s)", address.IPAddress, w.Spec.SubnetRef, h.ID, h.holder())
		switch {
		case !h.on(address.SubnetID):
		case h.Mark() != nil:
			return fmt.Errorf("%w: %s, which is %s; only one of the two can be attached", kind.ErrBusy, held, h.Mark().Owner)
		default:
			return fmt.Errorf("%w: %s, which no stack made; detach it from there, or remove this RouterInterface and leave the subnet as it is attached now",
				kind.ErrRejected, held)
		}
	}
	return busy
}

func (s *State) holder() string {
	if s.DeviceID == "" {
		return "not attached"
	}
	return s.DeviceOwner + " of " + s.DeviceID
}

// Update attaches a port that is not attached yet, and writes the mark.
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	if kind.Has(changes, "spec.routerRef") {
		if err := d.attach(ctx, w.Ref("Router", w.Spec.RouterRef).ID, have.ID); err != nil {
			return err
		}
	}
	return cloud.UpdateNeutron(ctx, d.c, resource, have.State.NeutronBase, changes, nil, w.Mark, cloud.Labels{})
}

// Delete detaches the port, which deletes it.
func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	if have.State.DeviceID == "" {
		return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
	}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + have.State.DeviceID + "/remove_router_interface",
		Body: map[string]any{"port_id": have.ID}})
	return err == nil, err
}
