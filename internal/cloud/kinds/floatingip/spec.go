// Package floatingip is the kind FloatingIP: an address of an external network that is associated with a port, in
// K-ORC's vocabulary. Of ports, networks and subnets it uses only IDs and addresses. Floating IPs have no name in
// Neutron, so people see the address instead.
package floatingip

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a floating IP. Field names and meanings are
// K-ORC's (api/v1alpha1/floatingip_types.go), values Neutron's (neutron-lib
// api/definitions/l3.py). Unlike in K-ORC, portRef and fixedIP can be changed,
// and there is loadBalancerRef.
type Spec struct {
	Description        *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags               []string `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	FloatingNetworkRef string   `json:"floatingNetworkRef,omitempty" api:"floating_network_id" show:"floatingNetworkID" rule:"immutable,min=1" ref:"Network" doc:"The external network of the address. Give either this or floatingSubnetRef."`
	FloatingSubnetRef  string   `json:"floatingSubnetRef,omitempty" rule:"immutable,min=1" ref:"Subnet" doc:"The subnet of an external network that the address comes from."`
	FloatingIP         string   `json:"floatingIP,omitempty" api:"floating_ip_address" rule:"immutable,format=ip" doc:"The address; the cloud chooses one if left out. Needs an administrator on most clouds."`
	PortRef            string   `json:"portRef,omitempty" api:"port_id,unwritten" show:"portID" rule:"min=1" ref:"Port" cuts:"connections to the address reach no machine any more" doc:"The port to which the address belongs; no port if left out. If other people or programs change this field, name it in the annotation stackreeve.dev/ignore-fields."`
	LoadBalancerRef    string   `json:"loadBalancerRef,omitempty" rule:"min=1" ref:"LoadBalancer" doc:"The LoadBalancer to which the address belongs, instead of portRef."`
	FixedIP            string   `json:"fixedIP,omitempty" api:"fixed_ip_address,unwritten" rule:"format=ip" doc:"The port's own address to which the floating IP belongs; the cloud chooses an address if left out."`
	DNSName            *string  `json:"dnsName,omitempty" api:"dns_name,lower,extension=dns-integration" rule:"immutable,max=255" doc:"Name of the address in DNS, sent with dnsDomain when the address is made. Not sent if the cloud has no such extension. If the cloud shows no name, a plan notes that, and the address is not replaced."`
	DNSDomain          *string  `json:"dnsDomain,omitempty" api:"dns_domain,lower,extension=dns-integration" rule:"immutable,max=255" doc:"DNS domain of the address, with a final dot. As with dnsName, it is not sent if the cloud has no such extension, and a plan notes if the cloud shows none."`
	QoSPolicyRef       *string  `json:"qosPolicyRef,omitempty" api:"qos_policy_id,extension=qos-fip" show:"qosPolicyID" ref:"QoSPolicy" doc:"The QoSPolicy of the object; no policy if empty. Not managed if left out, because administrators may set a policy, too."`
	define.ProjectRef  `json:",inline"`
	// SubnetRefs are the repository's subnets of the floating network. At least one of them must exist before an address
	// can be created.
	SubnetRefs []string `json:"-" ref:"Subnet,order" from:"floatingNetworkRef"`
}

// Filter selects an existing floating IP.
type Filter struct {
	FloatingIP           *string `json:"floatingIP,omitempty" rule:"format=ip" doc:"The address itself."`
	Description          *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
	FloatingNetworkRef   *string `json:"floatingNetworkRef,omitempty" ref:"Network" doc:"The external network of the address."`
	PortRef              *string `json:"portRef,omitempty" ref:"Port" doc:"The port to which the address belongs."`
	Status               string  `json:"status,omitempty" doc:"Exact status, e.g. ACTIVE or DOWN."`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// FilterName returns the address that the filter selects, because a floating IP has no other name.
func (f *Filter) FilterName() string { return table.Or(f.FloatingIP, "") }

// More holds the fields of a floating IP that only Neutron sets.
type More struct {
	RouterID string `json:"routerID" api:"router_id"`
	Status   string `json:"status" api:"status"`
	TenantID string `json:"tenantID" api:"project_id"`
}

// Kind returns the kind FloatingIP. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Kind: "FloatingIP", Short: "fip", Exclusive: true, Carries: "Port", Unmark: mark.UnmarkByLabel("floating ip"),
			Loss: []string{"its public address"},
			Doc:  "A public address for a port (Neutron)."},
		Collection: define.Collection{Path: "floatingips", Singular: "floatingip"}, MarkInTags: true,
		Overrides: []table.Override[Spec, More]{
			{Field: "floatingSubnetRef", Compare: compareSubnet, Write: writeSubnet},
			{Field: "portRef", Compare: compareTarget},
			{Field: "dnsName", Compare: compareDNS("dnsName", func(s *Spec) *string { return s.DNSName })},
			{Field: "dnsDomain", Compare: compareDNS("dnsDomain", func(s *Spec) *string { return s.DNSDomain })},
		},
		Validate: validate, Expand: findWay, Observe: observe, Addresses: addresses, Create: create, Update: update, Delete: remove, Impossible: impossible, ExclusiveClaims: exclusiveClaims, Export: export,
	})
}
