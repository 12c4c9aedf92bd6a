package events

import "strings"

// service has the event types of one service. A new service is a new row.
type service struct {
	prefix string // of its event types; "" if there is none
	name   string // catalog type
	// nouns has the collection for each first word of an event type, after the prefix of the service.
	nouns map[string]string
	// ids are the fields of the payload with the object's ID, by the noun; others have it in the field id.
	ids map[string]string
}

// services has the event types of each service. The first row that fits an event type is used.
var services = []service{{
	prefix: "compute.", name: "compute", // nova/notifications/base.py: notifications without versions
	nouns: map[string]string{"instance": "server", "servergroup": "server_group"}, ids: map[string]string{"instance": "instance_id"},
}, {
	name:  "compute", // nova/notifications/objects: versioned notifications
	nouns: map[string]string{"instance": "server", "server_group": "server_group", "servergroup": "server_group", "keypair": "keypair", "flavor": "flavor"},
	ids:   map[string]string{"instance": "uuid", "server_group": "uuid", "servergroup": "server_group_id", "keypair": "key_name", "flavor": "flavorid"},
}, {
	name: "network", // neutron/pecan_wsgi/hooks/notifier.py, neutron/db/l3_db.py
	nouns: map[string]string{
		"network": "network", "subnet": "subnet", "port": "port", "router": "router", "router.interface": "router_interface", "floatingip": "floatingip",
		"port_forwarding": "port_forwarding", "security_group": "security_group", "security_group_rule": "security_group", "subnetpool": "subnetpool",
		"address_scope": "address_scope", "address_group": "address_group", "trunk": "trunk", "policy": "qos_policy", "bandwidth_limit_rule": "qos_policy",
		"dscp_marking_rule": "qos_policy", "minimum_bandwidth_rule": "qos_policy", "rbac_policy": "rbac_policy",
	},
	ids: map[string]string{"security_group_rule": "security_group_id", "router.interface": "port_id"}, // the objects that stacks have
}, {
	name:  "block-storage", // cinder/volume/volume_utils.py
	nouns: map[string]string{"volume": "volume", "snapshot": "snapshot", "backup": "backup", "volume_type": "volume_type"},
	ids:   map[string]string{"volume": "volume_id", "snapshot": "snapshot_id", "backup": "backup_id"},
}, {
	name: "image", nouns: map[string]string{"image": "image"}, // glance/notifier.py
}, {
	prefix: "octavia.", name: "load-balancer", // octavia/controller/worker/v2/tasks/notification_tasks.py
	nouns: map[string]string{"loadbalancer": "loadbalancer"}, ids: map[string]string{"loadbalancer": "loadbalancer_id"},
}, {
	prefix: "dns.", name: "dns", nouns: map[string]string{"zone": "zone", "domain": "zone", "recordset": "recordset"}, // designate/central/service.py
}, {
	prefix: "identity.", name: "identity", // keystone/notifications.py
	nouns: map[string]string{
		"project": "project", "user": "user", "group": "group", "role": "role", "domain": "domain", "service": "service", "endpoint": "endpoint",
		"role_assignment": "role_assignment", "application_credential": "application_credential",
	},
	ids: map[string]string{"project": "resource_info", "user": "resource_info", "group": "resource_info", "role": "resource_info", "domain": "resource_info",
		"service": "resource_info", "endpoint": "resource_info", "application_credential": "resource_info"},
}, {
	name: "shared-file-system", nouns: map[string]string{"share": "share", "share_network": "share_network"}, // manila/share/share_utils.py
	ids: map[string]string{"share": "share_id", "share_network": "share_network_id"},
}}

// uneventful are the beginnings of event types that report usage, logins, reads or the work of a scheduler. Nothing follows from them.
var uneventful = []string{
	"identity.authenticate", "compute.instance.exists", "instance.exists", "volume.exists", "volume.usage", "snapshot.exists", "capacity.", "image.send",
	"image.serve", "select_destinations.", "scheduler.", "compute_task.", "compute.metrics.", "metrics.", "audit.http.", "l3.meter", "objectstore.http.request",
}

// isNews reports whether something may have changed when an event of the type arrives. After an event that ends in .start, another one follows.
func isNews(eventType string) bool {
	if strings.HasSuffix(eventType, ".start") {
		return false
	}
	for _, prefix := range uneventful {
		if strings.HasPrefix(eventType, prefix) {
			return false
		}
	}
	return true
}

// kindOf is what an event type says about an object.
type kindOf struct {
	service, collection string
	noun                string // the service's word in the event type
	id                  string // the field of the payload with the object's ID
}

// classify returns what an event type says about the object; zero if it is not known.
func classify(eventType string) kindOf {
	for i := range services {
		s := &services[i]
		rest, ok := strings.CutPrefix(eventType, s.prefix)
		if !ok {
			continue
		}
		first, after, _ := strings.Cut(rest, ".")
		second, _, _ := strings.Cut(after, ".")
		for _, noun := range []string{first + "." + second, first} {
			if collection := s.nouns[noun]; collection != "" {
				id := s.ids[noun]
				if id == "" {
					id = "id"
				}
				return kindOf{s.name, collection, noun, id}
			}
		}
	}
	return kindOf{}
}

// tagged are the collections of the network service, by the names that events about tags use (neutron/extensions/tagging.py).
var tagged = map[string]string{
	"networks": "network", "subnets": "subnet", "ports": "port", "routers": "router", "floatingips": "floatingip", "security_groups": "security_group",
	"subnetpools": "subnetpool", "trunks": "trunk", "policies": "qos_policy",
}
