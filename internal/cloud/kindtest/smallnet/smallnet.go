// Package smallnet writes the manifests of small networks, for tests of kinds that need a port, an address or a machine. Each manifest starts with the
// line that separates it from others. The package knows how objects of the network are written, and not what is tested.
package smallnet

import (
	"fmt"
	"strings"
)

const orc = "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: "

// Outside is the network public, which leads out of the cloud. Stacks only import it.
const Outside = orc + "Network\nmetadata: {name: public}\nspec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}\n"

// resource is a manifest of a kind with fields of its resource.
func resource(kind, name string, fields ...string) string {
	return fmt.Sprintf("%s%s\nmetadata: {name: %s}\nspec: {resource: {%s}}\n", orc, kind, name, strings.Join(fields, ", "))
}

// Network is a network of the stack.
func Network(name string) string { return resource("Network", name) }

// Subnet is a subnet of a network, with further fields.
func Subnet(name, network, cidr string, further ...string) string {
	version := 4
	if strings.Contains(cidr, ":") {
		version = 6
	}
	return resource("Subnet", name, append([]string{"networkRef: " + network, fmt.Sprintf("ipVersion: %d", version), "cidr: " + scalar(cidr)}, further...)...)
}

// Router is a router with gateways to the networks outside, or with none.
func Router(name string, outside ...string) string {
	if len(outside) == 0 {
		return resource("Router", name)
	}
	return resource("Router", name, "externalGateways: [{networkRef: "+strings.Join(outside, "}, {networkRef: ")+"}]")
}

// Port is a port on a network. Each of its addresses is a subnet, or SUBNET=IP; without addresses the cloud chooses one.
func Port(name, network string, addresses ...string) string {
	fields := []string{"networkRef: " + network}
	var list []string
	for _, a := range addresses {
		subnet, ip, chosen := strings.Cut(a, "=")
		if chosen {
			subnet += ", ip: " + scalar(ip)
		}
		list = append(list, "{subnetRef: "+subnet+"}")
	}
	if list != nil {
		fields = append(fields, "addresses: ["+strings.Join(list, ", ")+"]")
	}
	return resource("Port", name, fields...)
}

// FloatingIP is a floating IP of the network outside, with further fields.
func FloatingIP(name string, further ...string) string {
	return resource("FloatingIP", name, append([]string{"floatingNetworkRef: public"}, further...)...)
}

// Imported imports an object of a kind that exists in the cloud, by its name there.
func Imported(kind, name, there string) string {
	return fmt.Sprintf("%s%s\nmetadata: {name: %s}\nspec: {managementPolicy: unmanaged, import: {filter: {name: %s}}}\n", orc, kind, name, there)
}

// Bootable imports the objects that [Server] boots from: the image centos79 and the flavor small.
func Bootable() string {
	return Imported("Image", "centos79", "centos79") + Imported("Flavor", "small", "n3-1vcpu-2gb")
}

// Server is a machine with ports. Its image and flavor are those of [Bootable].
func Server(name string, ports ...string) string {
	return resource("Server", name, "imageRef: centos79", "flavorRef: small", "ports: [{portRef: "+strings.Join(ports, "}, {portRef: ")+"}]")
}

// scalar is a text as a YAML scalar that is valid inside braces.
func scalar(text string) string {
	if strings.Contains(text, ":") {
		return `"` + text + `"`
	}
	return text
}
