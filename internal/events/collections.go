package events

// Collections returns the collections of the APIs that show the change, as the catalog type of the service and the path: "network/ports". It
// returns nil if any collection may have changed.
func (l Look) Collections() []string {
	paths := collections[l.Service][l.Collection]
	list := make([]string, 0, len(paths))
	for _, path := range paths {
		list = append(list, l.Service+"/"+path)
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// collections has, by service and type of object, the paths of the collections that show a change of such an object. The first one is the
// object's own. A service reports the change of an object, and not the change of another object that shows it, such as the network of a subnet.
var collections = map[string]map[string][]string{
	"compute": {"server": {"servers"}, "server_group": {"os-server-groups"}, "keypair": {"os-keypairs"}, "flavor": {"flavors"}},
	"network": {
		"network": {"networks"}, "subnet": {"subnets", "networks"}, "port": {"ports"}, "router": {"routers", "ports"}, "router_interface": {"ports", "routers"},
		"floatingip": {"floatingips"}, "port_forwarding": {"floatingips"}, "security_group": {"security-groups"}, "subnetpool": {"subnetpools"},
		"address_scope": {"address-scopes"}, "address_group": {"address-groups"}, "trunk": {"trunks", "ports"}, "qos_policy": {"qos/policies"},
		"rbac_policy": {"rbac-policies", "networks", "security-groups", "subnetpools", "qos/policies", "address-groups", "address-scopes"},
	},
	"block-storage": {"volume": {"volumes"}, "snapshot": {"snapshots", "volumes"}, "backup": {"backups", "volumes"}, "volume_type": {"types"}},
	"image":         {"image": {"images"}},
	"load-balancer": {"loadbalancer": {"lbaas/loadbalancers"}},
	"dns":           {"zone": {"zones", "recordsets"}, "recordset": {"recordsets", "zones"}},
	"identity": {
		"project": {"projects"}, "user": {"users"}, "group": {"groups"}, "role": {"roles"}, "domain": {"domains"}, "service": {"services"},
		"endpoint": {"endpoints"}, "role_assignment": {"role_assignments"}, "application_credential": {"application_credentials"},
	},
	"shared-file-system": {"share": {"shares"}, "share_network": {"share-networks"}},
}
