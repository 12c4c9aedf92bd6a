package neutron

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Router is a router as the API shows it.
type Router struct {
	Standard
	Name         string   `json:"name"`
	AdminStateUp bool     `json:"admin_state_up"`
	Status       string   `json:"status"`
	Gateway      *Gateway `json:"external_gateway_info"`
	Routes       []Route  `json:"routes"`
	FlavorID     *string  `json:"flavor_id"`
	ZoneHints    []string `json:"availability_zone_hints"`
	Zones        []string `json:"availability_zones"`

	gatewayPort string
	interfaces  []string // IDs of ports; they stay even if a port's device_owner is changed
}

// Gateway connects a router to an external network.
type Gateway struct {
	NetworkID  string    `json:"network_id"`
	FixedIPs   []FixedIP `json:"external_fixed_ips"`
	EnableSNAT bool      `json:"enable_snat"`
}

type adminRouter struct {
	*Router
	Distributed bool `json:"distributed"`
	HA          bool `json:"ha"`
}

func (n *Neutron) addRouters() {
	n.routers = &kind[Router]{n: n, name: "router", path: "routers", tagged: true,
		standard: func(r *Router) *Standard { return &r.Standard },
		visible:  func(*oslo.Caller, *Router) bool { return false },
		missing: func(id string) *oslo.Error {
			return notFound("RouterNotFound", "Router %s could not be found", id)
		},
		view: func(c *oslo.Caller, r *Router) any {
			if c.Admin() {
				return adminRouter{Router: r}
			}
			return r
		},
		create: n.createRouter, update: n.updateRouter, remove: n.deleteRouter,
		undo: n.dropRouter,
	}
	n.routers.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "admin_state_up", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Parse: boolean},
		{Name: "external_gateway_info", Create: oslo.Anybody, Update: oslo.Anybody, Parse: parseGateway},
		{Name: "routes", Update: oslo.Anybody, Parse: parseRouterRoutes},
		{Name: "availability_zone_hints", Plain: true, Create: oslo.Anybody, Default: []string{}, Parse: zoneHints},
		{Name: "flavor_id", Plain: true, Filter: true, Create: oslo.Anybody, Parse: orNull(flavor)},
		{Name: "distributed", Create: oslo.AdminOnly, Update: oslo.AdminOnly, Parse: boolean},
		{Name: "ha", Create: oslo.AdminOnly, Update: oslo.AdminOnly, Parse: boolean},
		{Name: "status"}, {Name: "availability_zones"},
	}
	n.routers.register()
	n.handle("PUT", "routers/{id}/add_router_interface", n.addInterface)
	n.handle("PUT", "routers/{id}/remove_router_interface", n.removeInterface)
}

func keysWanted(name, want string, m map[string]any) *oslo.Error {
	have := make([]string, 0, len(m))
	for k := range m {
		have = append(have, "'"+k+"'")
	}
	slices.Sort(have)
	return invalid(name, "Validation of dictionary's keys failed. Expected keys: {%s} Provided keys: {%s}.", want, strings.Join(have, ", "))
}

// flavor refuses every router flavor, because the simulated cloud has none.
func flavor(name string, v any) (any, *oslo.Error) {
	if _, err := uuid(name, v); err != nil {
		return nil, err
	}
	return nil, notFound("FlavorNotFound", "Flavor %s could not be found.", py(v))
}

func parseRouterRoutes(name string, v any) (any, *oslo.Error) {
	if v == nil {
		return []Route{}, nil
	}
	l, ok := v.([]any)
	if !ok {
		return nil, invalid(name, "Invalid data format for hostroute: '%s'.", py(v))
	}
	out := []Route{}
	for _, x := range l {
		m, err := object(name, x, "destination", "nexthop")
		if err != nil {
			return nil, err
		}
		if len(m) != 2 {
			return nil, keysWanted(name, "'nexthop', 'destination'", m)
		}
		dest, err := subnetCIDR(name, m["destination"])
		if err != nil {
			return nil, err
		}
		hop, err := ip(name, m["nexthop"])
		if err != nil {
			return nil, err
		}
		r := Route{dest, hop.(string)}
		if slices.Contains(out, r) {
			return nil, invalid(name, "Duplicate hostroute '%s'.", py(x))
		}
		out = append(out, r)
	}
	return out, nil
}

func (n *Neutron) createRouter(c *oslo.Call, v oslo.Values) (*Router, error) {
	r := &Router{Standard: n.standard(v.Text("project_id"), v.Text("description")), Status: "ACTIVE", Routes: []Route{}, Zones: []string{}}
	r.Revision = 1
	if g, ok := v["external_gateway_info"].(gatewayWish); ok {
		if err := mayGateway(c.Caller, "create_router", g); err != nil {
			return nil, err
		}
		if err := n.setGateway(c.Caller, r, g); err != nil {
			return nil, err
		}
	}
	n.routers.store.Add(r)
	return r, nil
}

func (n *Neutron) updateRouter(c *oslo.Call, r *Router, v oslo.Values) error {
	if g, ok := v["external_gateway_info"].(gatewayWish); ok {
		if err := mayGateway(c.Caller, "update_router", g); err != nil {
			return err
		}
		before := r.Revision
		if err := n.setGateway(c.Caller, r, g); err != nil {
			return err
		}
		if err := n.gatewayMatched(c, r, before); err != nil {
			return err
		}
	}
	if routes, ok := v["routes"].([]Route); ok {
		if err := n.checkRoutes(r, routes); err != nil {
			n.bump(&r.Standard) // the rest of the update is already committed
			return err
		}
		r.Routes = routes
	}
	return nil
}

// checkRoutes mirrors db/extraroute_db.py: _validate_routes.
func (n *Neutron) checkRoutes(r *Router, routes []Route) error {
	for _, route := range routes {
		hop := netip.MustParseAddr(route.NextHop)
		connected, own := false, false
		for _, id := range append(slices.Clone(r.interfaces), r.gatewayPort) {
			p, ok := n.ports.store.Get(id)
			if !ok {
				continue
			}
			for _, f := range p.FixedIPs {
				s, _ := n.subnets.store.Get(f.SubnetID)
				connected = connected || s.prefix.Contains(hop)
				own = own || f.IP == route.NextHop
			}
		}
		why := ""
		if !connected {
			why = "the nexthop is not connected with router"
		} else if own {
			why = "the nexthop is used by router"
		}
		if why != "" {
			return oslo400("InvalidRoutes", "Invalid format for routes: %s, %s", pyRoutes(routes), why)
		}
	}
	return nil
}

func pyRoutes(routes []Route) string {
	var parts []string
	for _, r := range routes {
		parts = append(parts, fmt.Sprintf("{'destination': '%s', 'nexthop': '%s'}", r.Destination, r.NextHop))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// deleteRouter mirrors db/l3_db.py: delete_router, RouterInUse.
func (n *Neutron) deleteRouter(_ *oslo.Call, r *Router) error {
	if len(r.interfaces) > 0 {
		return conflict("RouterInUse", "Router %s has ports still attached: %s", r.ID, strings.Join(r.interfaces, ", "))
	}
	n.dropRouter(r)
	return nil
}

func (n *Neutron) dropRouter(r *Router) {
	n.dropGateway(r)
	n.routers.store.Remove(r.ID)
}
