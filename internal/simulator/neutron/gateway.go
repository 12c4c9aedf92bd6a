package neutron

import (
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// gatewayWish is the external_gateway_info of a request.
type gatewayWish struct {
	network string // empty: no gateway
	snat    bool
	fixed   []wish
	given   bool // reports whether the request contained external_fixed_ips
	keys    []string
}

func parseGateway(name string, v any) (any, *oslo.Error) {
	if v == nil {
		return gatewayWish{}, nil
	}
	m, err := object(name, v, "network_id", "enable_snat", "external_fixed_ips", "qos_policy_id")
	if err != nil {
		return nil, err
	}
	g := gatewayWish{snat: true}
	if len(m) == 0 {
		return g, nil
	}
	if _, ok := m["network_id"]; !ok {
		return nil, keysWanted(name, "'network_id'", m)
	}
	id, err := uuid(name, m["network_id"])
	if err != nil {
		return nil, err
	}
	g.network, _ = id.(string)
	for _, key := range []string{"enable_snat", "external_fixed_ips"} {
		if _, sent := m[key]; sent {
			g.keys = append(g.keys, key)
		}
	}
	if raw, sent := m["enable_snat"]; sent {
		b, err := boolean(name, raw)
		if err != nil {
			return nil, err
		}
		g.snat, _ = b.(bool)
	}
	if raw, sent := m["external_fixed_ips"]; sent && raw != nil {
		w, err := parseFixedIPs(name, raw)
		if err != nil {
			return nil, err
		}
		g.fixed, _ = w.([]wish)
		g.given = true
	}
	return g, nil
}

// mayGateway mirrors etc/policies/router.py: the parts of a gateway that only admins may set.
func mayGateway(c *oslo.Caller, action string, g gatewayWish) error {
	if c.Admin() || len(g.keys) == 0 {
		return nil
	}
	info := action + ":external_gateway_info"
	parts := []string{"rule:" + info + ":network_id"}
	for _, k := range g.keys {
		parts = append(parts, "rule:"+info+":"+k)
	}
	return oslo.Errorf(403, "PolicyNotAuthorized", "(rule:%s and (rule:%s and (%s))) is disallowed by policy", action, info, strings.Join(parts, " and "))
}

// gatewayMatched refuses an If-Match that was true before the gateway changed. Neutron changes the gateway in a
// separate transaction, which raises the revision. The next transaction then compares If-Match with the raised
// revision and fails, so a new gateway is removed again.
func (n *Neutron) gatewayMatched(c *oslo.Call, r *Router, before int) error {
	if r.Revision == before || !ifMatchForm.MatchString(c.Header.Get("If-Match")) {
		return nil
	}
	if r.Gateway != nil {
		n.dropGateway(r)
		r.Revision = before + 1
	}
	return oslo.Errorf(http.StatusPreconditionFailed, "RevisionNumberConstraintFailed", "Constrained to %d, but current revision is %d", before, r.Revision)
}

// setGateway mirrors db/l3_db.py: _update_router_gw_info.
func (n *Neutron) setGateway(c *oslo.Caller, r *Router, g gatewayWish) error {
	if g.network == "" {
		if r.Gateway == nil {
			return nil
		}
		if err := n.gatewayUnused(r); err != nil {
			return err
		}
		n.dropGateway(r)
		r.Revision += 2
		return nil
	}
	t, err := n.networks.find(c, g.network)
	if err != nil {
		return err
	}
	if !t.External {
		return oslo400("BadRequest", "Bad router request: Network %s is not an external network.", t.ID)
	}
	if r.Gateway != nil && r.Gateway.NetworkID == t.ID && !g.given {
		r.Gateway.EnableSNAT = g.snat
		return nil
	}
	if err := n.clashes(r, n.subnetsOf(t)...); err != nil {
		return err
	}
	if r.Gateway != nil && r.Gateway.NetworkID != t.ID {
		if err := n.gatewayUnused(r); err != nil {
			return err
		}
	}
	return n.plugGateway(r, t, g)
}

func (n *Neutron) plugGateway(r *Router, t *Network, g gatewayWish) error {
	old := r.Gateway
	n.dropGateway(r)
	p, err := n.makePort(serviceUser(""), t, oslo.Values{"fixed_ips": wishes(g), "admin_state_up": true, "device_id": r.ID, "device_owner": ownerGateway, "binding:vnic_type": "normal"})
	if err != nil {
		if old != nil {
			back := gatewayWish{network: old.NetworkID, snat: old.EnableSNAT, given: true}
			for _, f := range old.FixedIPs {
				back.fixed = append(back.fixed, wish{subnet: f.SubnetID, ip: f.IP})
			}
			if t, ok := n.networks.store.Get(old.NetworkID); ok {
				// The old addresses are free again, so this cannot fail.
				_ = n.plugGateway(r, t, back)
			}
		}
		return err
	}
	p.Status = "ACTIVE"
	n.bump(&p.Standard)
	r.gatewayPort = p.ID
	r.Gateway = &Gateway{NetworkID: t.ID, FixedIPs: p.FixedIPs, EnableSNAT: g.snat}
	r.Revision++
	if r.UpdatedAt == r.CreatedAt && r.Revision == 2 { // a part of the create
		r.Revision++
	}
	return nil
}

func wishes(g gatewayWish) any {
	if g.given {
		return g.fixed
	}
	return nil
}

func (n *Neutron) dropGateway(r *Router) {
	if p, ok := n.ports.store.Get(r.gatewayPort); ok {
		n.dropPort(p)
	}
	r.gatewayPort, r.Gateway = "", nil
}

// gatewayUnused mirrors db/l3_db.py: RouterExternalGatewayInUseByFloatingIp.
func (n *Neutron) gatewayUnused(r *Router) error {
	for f := range n.floatingIPs.store.All() {
		if f.RouterID != nil && *f.RouterID == r.ID {
			return conflict("RouterExternalGatewayInUseByFloatingIp", "Gateway cannot be updated for router %s, since a gateway to external network %s is required by one or more floating IPs.", r.ID, r.Gateway.NetworkID)
		}
	}
	return nil
}
