package events

import "slices"

// Collections returns the collections of the APIs that show the change, as the catalog type of the service and the path: "network/ports". It
// returns nil if any collection may have changed. Nobody may change the list.
func (l Look) Collections() []string { return collections[l.Service][l.Collection] }

// Collections returns the collections of all types of objects that messages can name, in order.
func Collections() (all []string) {
	for _, types := range collections {
		for _, list := range types {
			all = append(all, list...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// collections has, by service and type of object, the collections that show a change of such an object. The first one is the
// object's own. No kind lists shares, so theirs is that of their networks, where a look finds nothing for the stack. A service reports
// the change of an object, and not the change of another object that shows it, such as the network of a subnet.
var collections = map[string]map[string][]string{
	"compute": {"server": {"compute/servers"}, "server_group": {"compute/os-server-groups"}, "keypair": {"compute/os-keypairs"}, "flavor": {"compute/flavors"}},
	"network": {
		"network": {"network/networks"}, "subnet": {"network/subnets", "network/networks"}, "port": {"network/ports"}, "router": {"network/routers", "network/ports"}, "router_interface": {"network/ports", "network/routers"},
		"floatingip": {"network/floatingips"}, "port_forwarding": {"network/floatingips"}, "security_group": {"network/security-groups"}, "subnetpool": {"network/subnetpools"},
		"address_scope": {"network/address-scopes"}, "address_group": {"network/address-groups"}, "trunk": {"network/trunks", "network/ports"}, "qos_policy": {"network/qos/policies"},
		"rbac_policy": {"network/rbac-policies", "network/networks", "network/security-groups", "network/subnetpools", "network/qos/policies", "network/address-groups", "network/address-scopes"},
	},
	"block-storage": {"volume": {"block-storage/volumes"}, "snapshot": {"block-storage/snapshots", "block-storage/volumes"}, "backup": {"block-storage/backups", "block-storage/volumes"}, "volume_type": {"block-storage/types"}},
	"image":         {"image": {"image/images"}},
	"load-balancer": {"loadbalancer": {"load-balancer/lbaas/loadbalancers"}},
	"dns":           {"zone": {"dns/zones", "dns/recordsets"}, "recordset": {"dns/recordsets", "dns/zones"}},
	"identity": {
		"project": {"identity/projects"}, "user": {"identity/users"}, "group": {"identity/groups"}, "role": {"identity/roles"}, "domain": {"identity/domains"}, "service": {"identity/services"},
		"endpoint": {"identity/endpoints"}, "role_assignment": {"identity/role_assignments"}, "application_credential": {"identity/application_credentials"},
	},
	"shared-file-system": {"share": {"shared-file-system/share-networks"}, "share_network": {"shared-file-system/share-networks"}},
}
