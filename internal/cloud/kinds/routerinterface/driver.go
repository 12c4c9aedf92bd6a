package routerinterface

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type driver = *define.Driver[Spec, struct{}, More]

// list returns the router interfaces of the project. A port that was created for an interface counts as
// one, even before it is attached.
func list(ctx context.Context, d driver) ([]*state, error) {
	ports, err := d.Find(ctx, "") // the kind Port sends the same request, so the list is read only once for both kinds
	return slices.DeleteFunc(ports, func(s *state) bool {
		return s.Project != d.Client.ProjectID || !define.IsRouterPort(s.More.DeviceOwner)
	}), err
}

// create makes a port with the subnet's gateway address and a mark, and attaches it to the router. If
// the agent is killed in between, the port is reported as not attached. The port has no security group,
// like the ports that Neutron makes for routers.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	subnet := w.Ref("Subnet", w.Spec.SubnetRef)
	address := map[string]string{"subnet_id": subnet.ID}
	gateway, network := subnet.Facts.GatewayIP, subnet.Facts.NetworkID
	if gateway != "" {
		address["ip_address"] = gateway
	}
	made, err := d.Post(ctx, w, map[string]any{
		"name": w.Key.Name, "network_id": network, "device_owner": "network:router_interface",
		"security_groups": []string{}, "fixed_ips": []map[string]string{address},
	})
	if errors.Is(err, kind.ErrBusy) && gateway != "" {
		return nil, explainBusy(ctx, d, w, FixedIP{subnet.ID, gateway}, network, err)
	}
	if err != nil {
		return nil, err
	}
	made.Spec.RouterRef = w.Ref("Router", w.Spec.RouterRef).ID
	return made, change(ctx, d, made.Spec.RouterRef, "add", portOf(made.ID))
}

// change sends a request that adds a port or a subnet to a router, or removes it. The argument how is add or remove.
func change(ctx context.Context, d driver, router, how string, what map[string]any) error {
	return d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/" + how + "_router_interface", Body: what})
}

func portOf(id string) map[string]any { return map[string]any{"port_id": id} }

// explainBusy finds the port that has the subnet's gateway address. If it is the port of another
// RouterInterface, the error is ErrBusy, because that port may be about to be deleted. If no stack made
// the port, a person has to decide.
func explainBusy(ctx context.Context, d driver, w typed.Want[Spec], address FixedIP, network string, busy error) error {
	query := url.Values{"network_id": {network}, "fixed_ips": {"ip_address=" + address.IP}}
	holders, err := d.Find(ctx, "?"+query.Encode())
	if err != nil {
		return err
	}
	for _, h := range holders {
		held := fmt.Sprintf("the gateway address %s of subnet %s is used by port %s (%s)", address.IP, w.Spec.SubnetRef, h.ID, holder(h))
		switch {
		case !slices.Contains(h.More.subnets(), address.SubnetID):
		case h.Mark != nil:
			return fmt.Errorf("%w: %s, which is %s; only one of the two can be attached", kind.ErrBusy, held, h.Mark.Owner)
		default:
			return fmt.Errorf("%w: %s, which no stack made; detach the subnet from there, or remove this RouterInterface and use the existing interface",
				kind.ErrRejected, held)
		}
	}
	return busy
}

func holder(s *state) string {
	if s.Spec.RouterRef == "" {
		return "not attached"
	}
	return s.More.DeviceOwner + " of " + s.Spec.RouterRef
}

// update attaches a port that is not attached yet, and writes the mark.
func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	if kind.Has(n.Changes, "spec.routerRef") {
		if err := change(ctx, d, n.Want.Ref("Router", n.Want.Spec.RouterRef).ID, "add", portOf(n.Have.ID)); err != nil {
			return err
		}
	}
	return d.Write(ctx, n)
}

// detach removes the port from its router, which deletes the port. If the port has one address, the
// request names the subnet of that address. Then a subnet that somebody has just added to the port
// stays connected (db/l3_db.py: _remove_interface_by_subnet). A port of several subnets is not deleted,
// because it is unknown which of the subnets belong to others.
func detach(ctx context.Context, d driver, have typed.Live[state]) (bool, error) {
	router, addresses := have.State.Spec.RouterRef, have.State.More.FixedIPs
	what := portOf(have.ID)
	switch subnets := have.State.More.subnets(); {
	case router == "":
		return d.Remove(ctx, have.ID)
	case len(subnets) > 1:
		return false, fmt.Errorf("%w: port %s connects router %s to several subnets (%s), and all of them would be disconnected; first detach the subnets that must stay connected: openstack router remove subnet %s <subnet>",
			kind.ErrRejected, have.ID, router, strings.Join(subnets, ", "), router)
	case len(addresses) == 1:
		what = map[string]any{"subnet_id": addresses[0].SubnetID}
	}
	err := change(ctx, d, router, "remove", what)
	return err == nil, err
}
