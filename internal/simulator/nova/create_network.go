package nova

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/neutron"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// takeNetworks reads the networks of a request (servers.py: _get_requested_networks).
func (n *Nova) takeNetworks(c *call, s *Server, in *pyjson.Object) error {
	v, _ := in.Get("networks")
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		if v == "none" {
			return nil
		}
		return n.autoNetwork(c, s, v == "auto" || c.minor >= 37 && ok)
	}
	seen := map[string]bool{}
	for _, item := range list {
		o, _ := item.(*pyjson.Object)
		w := nic{network: o.Text("uuid"), port: o.Text("port"), fixedIP: o.Text("fixed_ip")}
		if o.Has("tag") {
			tag := o.Text("tag")
			w.tag = &tag
		}
		switch {
		case w.port == "" && w.network == "":
			return badRequest("Bad network format: missing 'uuid'")
		case w.port != "" && w.fixedIP != "":
			return badRequest("Specified Fixed IP '%s' cannot be used with port '%s': the two cannot be specified together.", w.fixedIP, w.port)
		case w.port != "" && seen[w.port]:
			return badRequest("Duplicate networks (%s) are not allowed", w.port)
		case w.port != "":
			seen[w.port], w.network = true, ""
		}
		s.wanted = append(s.wanted, w)
	}
	return nil
}

// autoNetwork chooses the only network of the project (network/neutron.py:
// validate_networks).
func (n *Nova) autoNetwork(c *call, s *Server, auto bool) error {
	nets := n.network.NetworksFor(c.Caller.ProjectID)
	nets = slices.DeleteFunc(nets, func(t *neutron.Network) bool { return t.External && !t.Shared })
	switch {
	case len(nets) > 1:
		return conflict("Multiple possible networks found, use a Network ID to be more specific.")
	case len(nets) == 1:
		s.wanted = []nic{{network: nets[0].ID}}
	case auto:
		return badRequest("Unable to automatically allocate a network for project %s", c.Caller.ProjectID)
	}
	return nil
}

// checkNetworks mirrors network/neutron.py: validate_networks.
func (n *Nova) checkNetworks(c *call, s *Server, _ *pyjson.Object) error {
	for i := range s.wanted {
		w := &s.wanted[i]
		if w.port != "" {
			p, err := n.usablePort(c.Caller, w.port)
			if err != nil {
				return err
			}
			w.refused = n.pluggable(c.Caller, p.NetworkID)
			continue
		}
		t, err := n.network.VisibleNetwork(c.Caller, w.network)
		if err != nil {
			return badRequest("Network %s could not be found.", w.network)
		}
		if err := n.usableNetwork(c.Caller, t); err != nil {
			return err
		}
	}
	return nil
}

func (n *Nova) usablePort(c *oslo.Caller, id string) (*neutron.Port, error) {
	p, err := n.network.VisiblePort(c, id)
	switch {
	case err != nil:
		return nil, badRequest("Port id %s could not be found.", id)
	case p.DeviceID != "":
		return nil, conflict("Port %s is still in use.", id)
	case len(p.FixedIPs) == 0:
		return nil, badRequest("Port %s requires a FixedIP in order to be used.", id)
	}
	return p, nil
}

// pluggable mirrors network/neutron.py: _check_external_network_attach.
func (n *Nova) pluggable(c *oslo.Caller, network string) error {
	t, err := n.network.VisibleNetwork(c, network)
	if err == nil && t.External && !t.Shared && !c.Admin() {
		return forbidden("It is not allowed to create an interface on external network %s", t.ID)
	}
	return nil
}

func (n *Nova) usableNetwork(c *oslo.Caller, t *neutron.Network) error {
	if err := n.pluggable(c, t.ID); err != nil {
		return err
	}
	if len(t.Subnets) == 0 && t.PortSecurity {
		return badRequest("Network %s requires a subnet in order to boot instances on.", t.ID)
	}
	return nil
}

// takeGroups finds the security groups by name or id.
func (n *Nova) takeGroups(c *call, s *Server, in *pyjson.Object) error {
	for _, item := range in.List("security_groups") {
		o, _ := item.(*pyjson.Object)
		ref := o.Text("name")
		if ref == "" || ref == "default" {
			ref = "default"
		}
		id, err := n.securityGroup(c.Caller.ProjectID, ref)
		if err != nil {
			return err
		}
		if !slices.Contains(s.securityIDs, id) {
			s.securityIDs = append(s.securityIDs, id)
		}
	}
	return nil
}

func (n *Nova) securityGroup(project, ref string) (string, error) {
	list := n.network.Groups(project, ref)
	if at := slices.IndexFunc(list, func(g *neutron.SecurityGroup) bool { return g.ID == ref }); at >= 0 {
		return ref, nil
	}
	switch len(list) {
	case 0:
		return "", badRequest("Unable to find security_group with name or id '%s'", ref)
	case 1:
		return list[0].ID, nil
	}
	return "", conflict("Multiple security_group matches found for name '%s', use an ID to be more specific.", ref)
}
