package campaign

import "strings"

// story is a stack with several revisions, which are applied one after the other. The last one is empty.
type story struct {
	name      string
	revisions []string
}

// secret is a text that must be in no output. SECRET in manifests stands for it.
const secret = "campaign-5e1f0a-secret-word"

func stories() []story {
	return []story{
		{"net", []string{netFirst, netSecond, ""}},
		{"group", []string{group("2", "http"), group("3", "tcp"), ""}},
		{"store", []string{storeFirst, storeSecond, ""}},
	}
}

func k8s(kind, name, spec string) string {
	group := "openstack.k-orc.cloud/v1alpha1"
	switch kind {
	case "Secret":
		return "---\napiVersion: v1\nkind: Secret\nmetadata: {name: " + name + "}\nstringData: " + spec + "\n"
	case "VirtualMachineGroup", "LoadBalancer", "DNSZone", "DNSRecordSet", "BarbicanSecret", "VirtualMachine", "SwiftContainer":
		group = "stackreeve.dev/v1alpha1"
	}
	return "---\napiVersion: " + group + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: " + spec + "\n"
}

var (
	netBoth = k8s("Network", "outside", "{managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}") +
		k8s("Subnet", "front", "{resource: {networkRef: front, ipVersion: 4, cidr: 192.168.44.0/24}}") +
		k8s("Router", "front", "{resource: {externalGateways: [{networkRef: outside}]}}") +
		k8s("RouterInterface", "front", "{type: Subnet, routerRef: front, subnetRef: front}") +
		k8s("Secret", "boot", `{value: "#!/bin/sh\necho SECRET"}`) +
		k8s("Server", "db", "{resource: {imageRef: debian, flavorRef: small, userData: {secretRef: boot}, ports: [{portRef: db}], metadata: [{key: role, value: database}]}}") +
		k8s("Image", "debian", "{managementPolicy: unmanaged, import: {filter: {name: debian-12}}}") +
		k8s("Flavor", "small", "{managementPolicy: unmanaged, import: {filter: {name: m1.tiny}}}")
	netFirst = netBoth +
		k8s("Network", "front", "{resource: {description: before, tags: [shop]}}") +
		k8s("SecurityGroup", "web", "{resource: {description: web, rules: [{direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 443, max: 443}}]}}") +
		k8s("SecurityGroup", "old", "{resource: {description: will go}}") +
		k8s("Port", "db", "{resource: {networkRef: front, addresses: [{subnetRef: front, ip: 192.168.44.10}], securityGroupRefs: [web]}}")
	netSecond = netBoth +
		k8s("Network", "front", "{resource: {description: after, tags: [shop, more]}}") +
		k8s("SecurityGroup", "web", "{resource: {description: web2, rules: [{direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 80, max: 80}}, {direction: ingress, ethertype: IPv6, protocol: udp, portRange: {min: 53, max: 53}}]}}") +
		k8s("Port", "db", "{resource: {networkRef: front, addresses: [{subnetRef: front, ip: 192.168.44.20}], securityGroupRefs: [web]}}") +
		k8s("FloatingIP", "db", "{resource: {floatingNetworkRef: outside, portRef: db}}")
)

func group(replicas, protocol string) string {
	return k8s("VirtualMachineGroup", "web", "{replicas: "+replicas+", haPolicy: soft, template: {image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: echo SECRET}}}") +
		k8s("LoadBalancer", "web", "{region: tokyo1, zone: dev, vipType: private, serviceType: generic, ports: [{port: 80, protocol: "+protocol+", realServers: {protocol: "+protocol+", port: 80, virtualMachineGroupRef: web}, monitors: [{protocol: http, port: 80, endpoint: /health}]}]}")
}

var (
	storeBoth = k8s("KeyPair", "ada", "{resource: {publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHcyW1CYnLCC2wCyO9SCgoZdHoCo7gTT55mbj0PD4Pg3 ada@example.com}}") +
		k8s("ServerGroup", "apart", "{resource: {policy: soft-anti-affinity}}") +
		k8s("Secret", "pass", "{value: SECRET}") +
		k8s("BarbicanSecret", "pass", "{resource: {payloadRef: pass, payloadKey: value, payloadContentType: text/plain}}") +
		k8s("DNSRecordSet", "mail", `{resource: {zoneRef: shop, name: "@", type: MX, records: [10 mail.example.org.]}}`)
	storeFirst = storeBoth +
		k8s("Volume", "data", "{resource: {size: 1, description: before}}") +
		k8s("Volume", "old", "{resource: {size: 2}}") +
		k8s("DNSZone", "shop", "{resource: {name: shop.example.org., email: hostmaster@example.org, ttl: 600}}")
	storeSecond = storeBoth +
		k8s("Volume", "data", "{resource: {size: 3, description: after}}") +
		k8s("DNSRecordSet", "www", `{resource: {zoneRef: shop, name: www, type: A, records: [192.0.2.7]}}`) +
		k8s("DNSZone", "shop", "{resource: {name: shop.example.org., email: hostmaster@example.org, ttl: 900}}")
)

// manifests returns a revision with the secret in it.
func (s story) manifests(phase int) string {
	return strings.ReplaceAll(s.revisions[phase], "SECRET", secret)
}
