package main

import (
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// disturbed has an object of each sort that somebody else changes. ZONE is a name that nobody else has in the cloud.
const disturbed = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: outside}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: cirros}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: m1.nano}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: inside}
spec: {resource: {description: of the stack}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: front}
spec: {resource: {networkRef: front, ipVersion: 4, cidr: 10.22.0.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: spare}
spec: {resource: {description: of the stack, tags: [blue]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: inside}
spec: {resource: {networkRef: inside, ipVersion: 4, cidr: 10.20.0.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: spare}
spec: {resource: {networkRef: inside, ipVersion: 4, cidr: 10.21.0.0/24, description: of the stack}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: edge}
spec: {resource: {description: of the stack}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RouterInterface
metadata: {name: edge}
spec: {type: Subnet, routerRef: edge, subnetRef: inside}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: spare}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {resource: {rules: [{direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 80, max: 80}}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: spare}
spec: {resource: {networkRef: inside, addresses: [{subnetRef: inside}], securityGroupRefs: [web]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: web}
spec: {resource: {networkRef: inside, addresses: [{subnetRef: inside}], securityGroupRefs: [web]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec: {resource: {imageRef: cirros, flavorRef: m1.nano, ports: [{portRef: web}], metadata: [{key: tier, value: gold}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ServerGroup
metadata: {name: apart}
spec: {resource: {policy: soft-anti-affinity}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: front}
spec: {resource: {floatingNetworkRef: outside, description: of the stack}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1, description: of the stack}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec: {description: of the stack, vipNetwork: front, ports: [{port: 80, protocol: http, realServers: {port: 80, addresses: [10.22.0.9]}}]}
---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: zone}
spec: {resource: {name: ZONE, email: hostmaster@example.org, ttl: 600}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSRecordSet
metadata: {name: www}
spec: {resource: {zoneRef: zone, type: A, ttl: 60, records: [192.0.2.7]}}
`

// change is a change that another user makes in the cloud. do returns the time of the cloud's answer.
type change struct {
	key  string // of the object that the agent must correct
	what string
	do   func(i *intruder) time.Time
	// silent is true if the service does not say who made the change.
	silent bool
	// late is true if the object is PENDING in the first round of the pass. Then the log has the correction, but no line about drift.
	late bool
}

// changes returns a change of each sort. Each takes objects as the agent has made them, so they can be repeated.
func changes(zone string) []change {
	put := func(service, collection, name, path string, body any) func(*intruder) time.Time {
		return func(i *intruder) time.Time {
			return i.do(http.MethodPut, service, collection+"/"+i.id(service, collection, name)+path, body)
		}
	}
	remove := func(service, collection, name, query string) func(*intruder) time.Time {
		return func(i *intruder) time.Time {
			return i.do(http.MethodDelete, service, collection+"/"+i.id(service, collection, name)+query, nil)
		}
	}
	one := func(noun, field string, value any) any { return map[string]any{noun: map[string]any{field: value}} }
	recordset := func(method string, body any) func(*intruder) time.Time {
		return func(i *intruder) time.Time {
			inZone := "zones/" + i.id(cloud.DNS, "zones", zone) + "/recordsets"
			return i.do(method, cloud.DNS, inZone+"/"+i.id(cloud.DNS, inZone, "www."+zone), body)
		}
	}
	rule := func(i *intruder) (group, id string) {
		group = i.id(cloud.Network, "security-groups", "web")
		var in struct {
			Rules []struct{ ID, Direction string } `json:"security_group_rules"`
		}
		if _, err := i.ask(http.MethodGet, i.services[cloud.Network]+"/security-group-rules?direction=ingress&security_group_id="+group, nil, &in); err != nil || len(in.Rules) == 0 {
			i.t.Fatal(err, in)
		}
		return group, in.Rules[0].ID
	}
	return []change{
		{key: "Server/web", what: "renamed", do: put(cloud.Compute, "servers", "web", "", one("server", "name", "by-hand"))},
		{key: "Port/spare", what: "disabled", do: put(cloud.Network, "ports", "spare", "", one("port", "admin_state_up", false))},
		{key: "Volume/data", what: "described", do: put(cloud.BlockStorage, "volumes", "data", "", one("volume", "description", "by hand"))},
		{key: "LoadBalancer/front", what: "described", silent: true, do: put(cloud.LoadBalancer, "lbaas/loadbalancers", "front", "", one("loadbalancer", "description", "by hand"))},
		{key: "DNSRecordSet/www", what: "deleted", do: recordset(http.MethodDelete, nil)},
		{key: "SecurityGroup/web", what: "rule added", do: func(i *intruder) time.Time {
			group, _ := rule(i)
			return i.do(http.MethodPost, cloud.Network, "security-group-rules", map[string]any{"security_group_rule": map[string]any{"security_group_id": group, "direction": "ingress", "ethertype": "IPv4", "protocol": "udp"}})
		}},
		{key: "Server/web", what: "deleted", do: remove(cloud.Compute, "servers", "web", "")},
		{key: "Network/spare", what: "deleted", do: remove(cloud.Network, "networks", "spare", "")},
		{key: "FloatingIP/front", what: "deleted", do: func(i *intruder) time.Time {
			return i.do(http.MethodDelete, cloud.Network, "floatingips/"+i.floatingIP(), nil)
		}},
		{key: "RouterInterface/edge", what: "detached", do: func(i *intruder) time.Time {
			return i.do(http.MethodPut, cloud.Network, "routers/"+i.id(cloud.Network, "routers", "edge")+"/remove_router_interface", map[string]any{"subnet_id": i.id(cloud.Network, "subnets", "inside")})
		}},
		{key: "Subnet/spare", what: "deleted", do: remove(cloud.Network, "subnets", "spare", "")},
		{key: "SecurityGroup/web", what: "rule deleted", do: func(i *intruder) time.Time {
			_, id := rule(i)
			return i.do(http.MethodDelete, cloud.Network, "security-group-rules/"+id, nil)
		}},
		{key: "Port/spare", what: "deleted", do: remove(cloud.Network, "ports", "spare", "")},
		{key: "Router/spare", what: "deleted", do: remove(cloud.Network, "routers", "spare", "")},
		{key: "Volume/data", what: "deleted", do: remove(cloud.BlockStorage, "volumes", "data", "")},
		{key: "LoadBalancer/front", what: "deleted", silent: true, do: remove(cloud.LoadBalancer, "lbaas/loadbalancers", "front", "?cascade=true")},
		{key: "ServerGroup/apart", what: "deleted", do: remove(cloud.Compute, "os-server-groups", "apart", "")},
		{key: "DNSRecordSet/www", what: "changed", late: true, do: recordset(http.MethodPut, map[string]any{"ttl": 61})},
		{key: "DNSZone/zone", what: "changed", late: true, do: func(i *intruder) time.Time {
			return i.do(http.MethodPatch, cloud.DNS, "zones/"+i.id(cloud.DNS, "zones", zone), map[string]any{"ttl": 601})
		}},
		{key: "Server/web", what: "metadata", do: func(i *intruder) time.Time {
			return i.do(http.MethodPost, cloud.Compute, "servers/"+i.id(cloud.Compute, "servers", "web")+"/metadata", one("metadata", "tier", "lead"))
		}},
		{key: "Network/spare", what: "described", do: put(cloud.Network, "networks", "spare", "", one("network", "description", "by hand"))},
		{key: "Network/spare", what: "tag removed", do: func(i *intruder) time.Time {
			return i.do(http.MethodDelete, cloud.Network, "networks/"+i.id(cloud.Network, "networks", "spare")+"/tags/blue", nil)
		}},
		{key: "Subnet/spare", what: "described", do: put(cloud.Network, "subnets", "spare", "", one("subnet", "description", "by hand"))},
		{key: "Router/edge", what: "described", do: put(cloud.Network, "routers", "edge", "", one("router", "description", "by hand"))},
		{key: "FloatingIP/front", what: "described", do: func(i *intruder) time.Time {
			return i.do(http.MethodPut, cloud.Network, "floatingips/"+i.floatingIP(), one("floatingip", "description", "by hand"))
		}},
	}
}

// floatingIP returns the ID of the project's only floating IP, which has no name.
func (i *intruder) floatingIP() string {
	i.t.Helper()
	var in struct{ FloatingIPs []struct{ ID string } }
	if _, err := i.ask(http.MethodGet, i.services[cloud.Network]+"/floatingips", nil, &in); err != nil || len(in.FloatingIPs) != 1 {
		i.t.Fatal(err, in)
	}
	return in.FloatingIPs[0].ID
}
