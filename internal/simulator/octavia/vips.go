package octavia

import "github.com/stackreeve/stackreeve/internal/simulator/oslo"

// VIP is an additional address of a load balancer.
type VIP struct {
	SubnetID  string `json:"subnet_id"`
	NetworkID string `json:"network_id"`
	PortID    string `json:"port_id"`
	Address   string `json:"ip_address"`
}

// placeFurther checks the additional addresses
// (octavia/api/v2/controllers/load_balancer.py:
// _validate_subnets_share_network_but_no_duplicates).
func (o *Octavia) placeFurther(c *oslo.Call, lb *LoadBalancer) error {
	used := map[string]bool{lb.VIPSubnetID: true}
	for i := range lb.AdditionalVIPs {
		v := &lb.AdditionalVIPs[i]
		s, err := o.neutron.VisibleSubnet(c.Caller, v.SubnetID)
		switch {
		case err != nil:
			return missing("Subnet", v.SubnetID)
		case used[v.SubnetID]:
			return invalid("Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.")
		case s.NetworkID != lb.VIPNetworkID:
			return invalid("All VIP subnets must belong to the same network.")
		}
		used[v.SubnetID], v.NetworkID = true, s.NetworkID
	}
	return nil
}

// furtherIPs returns the additional addresses for the request that creates the port.
func (lb *LoadBalancer) furtherIPs() []any {
	var out []any
	for _, v := range lb.AdditionalVIPs {
		ip := map[string]any{"subnet_id": v.SubnetID}
		if v.Address != "" {
			ip["ip_address"] = v.Address
		}
		out = append(out, ip)
	}
	return out
}

// placed stores the address that the port received on a subnet.
func (lb *LoadBalancer) placed(subnet, address string) {
	if subnet == lb.VIPSubnetID {
		lb.VIPAddress = address
	}
	for i := range lb.AdditionalVIPs {
		if v := &lb.AdditionalVIPs[i]; v.SubnetID == subnet {
			v.Address, v.PortID = address, lb.VIPPortID
		}
	}
}
