package neutron

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Forwarding is a port forwarding as the API shows it.
type Forwarding struct {
	ID            string `json:"id"`
	ExternalPort  int    `json:"external_port"`
	ExternalRange string `json:"external_port_range"`
	Protocol      string `json:"protocol"`
	PortID        string `json:"internal_port_id"`
	Address       string `json:"internal_ip_address"`
	InternalPort  int    `json:"internal_port"`
	InternalRange string `json:"internal_port_range"`
	Description   string `json:"description"`
}

var forwardingAttributes = oslo.Table{
	{Name: "external_port", Create: oslo.Anybody, Update: oslo.Anybody, Parse: integer(1, 65535)},
	{Name: "internal_port", Create: oslo.Anybody, Update: oslo.Anybody, Parse: integer(1, 65535)},
	{Name: "internal_ip_address", Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Parse: ip},
	{Name: "protocol", Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Parse: oneOf("tcp", "udp", "icmp", "icmp6", "sctp", "dccp")},
	{Name: "internal_port_id", Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Parse: uuid},
	{Name: "description", Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
	{Name: "id"}, {Name: "external_port_range"}, {Name: "internal_port_range"},
}

func (n *Neutron) addForwardings() {
	n.forwardings = map[string][]*Forwarding{}
	const path = "floatingips/{id}/port_forwardings"
	n.handle("GET", path, func(c *oslo.Call) (*oslo.Response, error) {
		f, err := n.floatingIPs.find(c.Caller, c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return oslo.OK(map[string]any{"port_forwardings": append([]*Forwarding{}, n.forwardings[f.ID]...)}), nil
	})
	n.handle("POST", path, n.writeForwarding)
	n.handle("GET", path+"/{forwarding}", func(c *oslo.Call) (*oslo.Response, error) {
		_, w, err := n.forwardingCall(c)
		return oslo.OK(map[string]any{"port_forwarding": w}), err
	})
	n.handle("PUT", path+"/{forwarding}", n.writeForwarding)
	n.handle("DELETE", path+"/{forwarding}", func(c *oslo.Call) (*oslo.Response, error) {
		f, w, err := n.forwardingCall(c)
		if err != nil {
			return nil, err
		}
		n.forwardings[f.ID] = slices.DeleteFunc(slices.Clone(n.forwardings[f.ID]), func(o *Forwarding) bool { return o == w })
		if len(n.forwardings[f.ID]) == 0 {
			f.RouterID = nil
		}
		return oslo.NoContent(), nil
	})
}

// forwardingCall finds the objects that a path names; the forwarding is nil in a create.
func (n *Neutron) forwardingCall(c *oslo.Call) (*FloatingIP, *Forwarding, error) {
	f, err := n.floatingIPs.find(c.Caller, c.PathValue("id"))
	if err != nil {
		return nil, nil, err
	}
	id := c.PathValue("forwarding")
	if id == "" {
		return f, nil, nil
	}
	i := slices.IndexFunc(n.forwardings[f.ID], func(w *Forwarding) bool { return w.ID == id })
	if i < 0 {
		return nil, nil, notFound("PortForwardingNotFound", "Port Forwarding %s could not be found.", id)
	}
	return f, n.forwardings[f.ID][i], nil
}

func (n *Neutron) writeForwarding(c *oslo.Call) (*oslo.Response, error) {
	f, old, err := n.forwardingCall(c)
	if err != nil {
		return nil, err
	}
	var in map[string]map[string]any
	if !c.Decode(&in) || in["port_forwarding"] == nil {
		return nil, badRequest("Unable to find 'port_forwarding' in request body")
	}
	next, read := Forwarding{ID: n.cloud.UUID()}, forwardingAttributes.Create
	if old != nil {
		next, read = *old, forwardingAttributes.Update
	}
	v, perr := read(in["port_forwarding"], refuse)
	if perr != nil {
		return nil, perr
	}
	if old == nil && (v["external_port"] == nil || v["internal_port"] == nil) {
		return nil, oslo.Errorf(500, "HTTPInternalServerError", "no ports")
	}
	oslo.FieldsOf[Forwarding]().Set(&next, v)
	next.ExternalRange, next.InternalRange = span(next.ExternalPort), span(next.InternalPort)
	router, err := n.judgeForwarding(c.Caller, f, &next, v)
	if err != nil {
		return nil, err
	}
	if old != nil {
		*old = next
		return oslo.OK(map[string]any{"port_forwarding": old}), nil
	}
	f.RouterID = &router.ID
	n.forwardings[f.ID] = append(n.forwardings[f.ID], &next)
	return oslo.Created(map[string]any{"port_forwarding": next}), nil
}

func span(port int) string { return py(port) + ":" + py(port) }

// judgeForwarding mirrors services/portforwarding/pf_plugin.py: the checks of a create and an update.
func (n *Neutron) judgeForwarding(c *oslo.Caller, f *FloatingIP, w *Forwarding, v oslo.Values) (*Router, error) {
	if f.PortID != nil {
		return nil, conflict("FloatingIPPortAlreadyAssociated", "Floating IP %s is already associated with port %s.", f.ID, *f.PortID)
	}
	p, err := n.ports.find(c, w.PortID)
	if err != nil {
		return nil, err
	}
	if !v.Has("internal_ip_address") && v.Has("internal_port_id") && len(p.FixedIPs) > 0 {
		w.Address = p.FixedIPs[0].IP
	}
	i := slices.IndexFunc(p.FixedIPs, func(a FixedIP) bool { return a.IP == w.Address })
	if i < 0 || !netip.MustParseAddr(w.Address).Is4() {
		return nil, badForwarding("Requested internal IP address %s is not suitable for internal neutron port %s, as its fixed_ips are [].", w.Address, p.ID)
	}
	if len(n.fipsOn[p.ID]) > 0 {
		return nil, conflict("PortHasBindingFloatingIP", "Cannot create port forwarding to floating IP %s (%s) with port %s using fixed IP %s, as that port already has a binding floating IP.", f.Address, f.ID, p.ID, w.Address)
	}
	router := n.routerFor(p.FixedIPs[i].SubnetID, f.NetworkID)
	if router == nil {
		return nil, badForwarding("External network %s is not reachable from subnet %s. Cannot set Port forwarding for port %s with Floating IP %s.", f.NetworkID, p.FixedIPs[i].SubnetID, p.ID, f.ID)
	}
	for fip, list := range n.forwardings {
		for _, o := range list {
			if o.ID == w.ID || o.Protocol != w.Protocol {
				continue
			}
			if fip == f.ID && o.ExternalPort == w.ExternalPort {
				return nil, collides("external", w.ExternalRange)
			}
			if o.PortID == w.PortID && o.Address == w.Address && o.InternalPort == w.InternalPort && fip == f.ID {
				return nil, collides("internal", w.InternalRange)
			}
		}
	}
	return router, nil
}

func badForwarding(format string, args ...any) error {
	return oslo400("BadRequest", "Bad port_forwarding request: "+format, args...)
}

func collides(side, ports string) error {
	return badForwarding("There is a port collision with the %s_port_range. The following ranges collides: %s and %s.", side, ports, ports)
}

// dropForwardings removes the forwardings to a port that is being deleted.
func (n *Neutron) dropForwardings(port string) {
	for fip, list := range n.forwardings {
		n.forwardings[fip] = slices.DeleteFunc(slices.Clone(list), func(w *Forwarding) bool { return w.PortID == port })
	}
}
