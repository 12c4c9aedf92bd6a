package simulator

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/simulator/keystone"
)

// addBase adds the contents of a fresh cloud:
//   - three users, each with its name as the password and a project of the same name
//   - an external network
//   - a shared QoS policy
//   - a private network with a subnet in each of the projects demo and demo2
func (c *Cloud) addBase() error {
	k := c.Keystone
	for _, name := range []string{"admin", "member", "reader"} {
		k.AddRole(name, true)
	}
	for _, name := range []string{"service", "load-balancer_member", "load-balancer_admin", "creator", "observer", keystone.Administrator} {
		k.AddRole(name, false)
	}
	admin := k.AddProject("admin", "Bootstrap project for initializing the cloud.")
	administrator := k.AddUser("admin", "admin")
	k.Grant(administrator, admin, "admin", "member", "reader")
	k.AddProject("service", "")
	if err := c.addNetwork(admin, "public", "public-v4", "203.0.112.0/20", true); err != nil {
		return err
	}
	if err := c.Neutron.ShareQoSPolicy(admin, "standard", 10_000_000); err != nil {
		return fmt.Errorf("base QoS policy: %w", err)
	}
	c.addImages(admin)
	c.addFlavors()
	c.addVolumeTypes()
	for _, name := range []string{"demo", "demo2"} {
		project := k.AddProject(name, "")
		k.Grant(k.AddUser(name, name), project, "member", "reader", "load-balancer_member", "creator", "observer")
		k.Grant(administrator, project, "admin")
		if err := c.addNetwork(project, "private", "private-subnet", "10.0.0.0/24", false); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cloud) addNetwork(project, name, subnet, cidr string, external bool) error {
	body := map[string]any{"name": name, "router:external": external}
	if external {
		body["provider:network_type"], body["provider:physical_network"] = "flat", "extnet"
	}
	network, err := c.Neutron.CreateNetwork(project, body)
	if err != nil {
		return fmt.Errorf("base network %s: %w", name, err)
	}
	_, err = c.Neutron.CreateSubnet(project, map[string]any{"name": subnet, "network_id": network.ID,
		"ip_version": "4", "cidr": cidr, "enable_dhcp": !external})
	if err != nil {
		return fmt.Errorf("base subnet %s: %w", subnet, err)
	}
	return nil
}
