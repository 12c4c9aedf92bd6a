// Package loadbalancer is the kind LoadBalancer: an address that spreads
// connections over machines. It owns a whole Octavia tree, the load balancer
// with its listeners, pools, members and health monitors, and everything else that
// hangs under that load balancer is removed.
//
// It knows which machines stand behind it by the names of their ports only:
// their addresses come by reference. The VIP's port is Octavia's.
package loadbalancer

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a load balancer shall be, in the words of LINE's Verda operator
// (verda.linecorp.com/v1alpha1, accepted verbatim) and a few more.
type Spec struct {
	Description  *string  `json:"description,omitempty" api:"description,empty" rule:"max=255" doc:"Free text."`
	Tags         []string `json:"tags,omitempty" api:"tags,set,empty" doc:"Tags, besides those that mark the owner."`
	AdminStateUp *bool    `json:"adminStateUp,omitempty" api:"admin_state_up" rule:"default=true" doc:"Whether it takes connections."`
	Region       *string  `json:"region,omitempty" doc:"The region it must be in, as the cloud calls it or as the stack's defaults.regions do."`
	Zone         *string  `json:"zone,omitempty" rule:"immutable" doc:"Availability zone, as the cloud calls it or as the stack's defaults.zones do. Applied where the load balancer service has zones."`
	VIPType      *string  `json:"vipType,omitempty" rule:"immutable" doc:"Which network its address is on: a key of the stack's defaults.vipNetworks."`
	VIPNetwork   *string  `json:"vipNetwork,omitempty" rule:"immutable,min=1" doc:"Name of the network its address is on: a Network of the repository, or one that exists. Goes before vipType; the stack's defaults.network if both are left out."`
	VIPAddress   *string  `json:"vipAddress,omitempty" api:"vip_address" rule:"immutable,format=ip" doc:"Its address; chosen by the cloud if left out."`
	ServiceType  *string  `json:"serviceType,omitempty" rule:"immutable" doc:"Which Octavia flavor it is of: a key of the stack's defaults.serviceTypes. Not managed if left out."`
	// FloatingIP is a FloatingIP of the load balancer's name.
	FloatingIP *machine.FloatingIP `json:"floatingIP,omitempty" doc:"Gives it an address that can be reached from outside, as a FloatingIP of its name."`
	Ports      []Port              `json:"ports" rule:"required,min=1" doc:"What it listens on, and who answers."`

	// NetworkRef, Flavor and AvailabilityZone are vipNetwork, serviceType and
	// zone in the cloud's words.
	NetworkRef string `json:"-" ref:"Network" rule:"immutable"`
	// SubnetRefs are the subnets that the repository puts on that network: its
	// address comes from one of them.
	SubnetRefs       []string `json:"-" ref:"Subnet"`
	Flavor           string   `json:"-"`
	AvailabilityZone string   `json:"-"`
}

// Port is one thing that it listens on: a listener and its pool.
type Port struct {
	Port         int         `json:"port" rule:"required,min=1,max=65535" doc:"Port that clients connect to."`
	Protocol     string      `json:"protocol" rule:"required,enum=http|https|tcp|udp|sctp" doc:"The protocol of clients. https is passed through as it is: the machines hold the certificates."`
	Option       any         `json:"option,omitempty" doc:"Accepted; OpenStack has nothing like it."`
	Algorithm    *string     `json:"algorithm,omitempty" rule:"enum=roundRobin|leastConnections|sourceIP|sourceIPPort,default=roundRobin" doc:"How connections are spread."`
	AllowedCIDRs []string    `json:"allowedCidrs,omitempty" rule:"format=cidr" doc:"Who may connect; everybody if left out."`
	Timeouts     *Timeouts   `json:"timeouts,omitempty" doc:"How long silence is borne; the cloud decides what is left out."`
	RealServers  RealServers `json:"realServers" rule:"required" doc:"Who answers. At least one of virtualMachineGroupRef, virtualMachineRefs, serverRefs and addresses is needed."`
	Monitors     []Monitor   `json:"monitors,omitempty" doc:"How it is found out whether they can answer. Octavia has one monitor for a port: the first is used."`
}

// Timeouts are in milliseconds.
type Timeouts struct {
	Client        *int `json:"client,omitempty" api:"timeout_client_data" show:"-" rule:"min=0,max=31536000000" doc:"Silence of a client, in milliseconds."`
	MemberConnect *int `json:"memberConnect,omitempty" api:"timeout_member_connect" show:"-" rule:"min=0,max=31536000000" doc:"Connecting to a machine, in milliseconds."`
	Member        *int `json:"member,omitempty" api:"timeout_member_data" show:"-" rule:"min=0,max=31536000000" doc:"Silence of a machine, in milliseconds."`
}

// RealServers are those who answer.
type RealServers struct {
	Protocol               *string  `json:"protocol,omitempty" rule:"enum=http|https|tcp|udp|sctp|proxy|proxyv2" doc:"Their protocol; that of the clients if left out."`
	Port                   *int     `json:"port,omitempty" rule:"min=1,max=65535" doc:"Port they listen on; as the load balancer's if left out."`
	VirtualMachineGroupRef *string  `json:"virtualMachineGroupRef,omitempty" rule:"min=1" doc:"All machines of this VirtualMachineGroup."`
	VirtualMachineRefs     []string `json:"virtualMachineRefs,omitempty" rule:"unique,max=1000" doc:"These VirtualMachines, each at its first port."`
	ServerRefs             []string `json:"serverRefs,omitempty" rule:"unique,max=1000" doc:"These Servers, each at its first port."`
	Addresses              []string `json:"addresses,omitempty" rule:"unique,format=ip,max=1000" doc:"Members by address." example:"10.0.0.10"`

	// PortRefs are the ports of the machines referred to, PortlessRefs the servers
	// whose ports the repository does not have.
	PortRefs     []string `json:"-" ref:"Port"`
	PortlessRefs []string `json:"-" ref:"Server"`
}

// Monitor is how Octavia finds out whether a machine can answer.
type Monitor struct {
	Protocol string  `json:"protocol" rule:"required,enum=http|https|tcp|tls|udp|sctp|ping" doc:"How they are asked."`
	Port     *int    `json:"port,omitempty" rule:"min=1,max=65535" doc:"Port they are asked at; realServers.port if left out."`
	Endpoint *string `json:"endpoint,omitempty" rule:"max=2048,pattern=^/[^\\s]*$" doc:"Path that must answer 200, for http and https; / if left out."`
	Delay    *int    `json:"delay,omitempty" rule:"min=1,max=86400,default=5" doc:"Seconds between two questions."`
	Timeout  *int    `json:"timeout,omitempty" rule:"min=1,max=86400,default=3" doc:"Seconds to wait for an answer; less than delay."`
	Retries  *int    `json:"retries,omitempty" rule:"min=1,max=10,default=3" doc:"Good answers in a row until a machine is used again, and bad ones until it is not."`
}

// fields are those of the load balancer itself.
var fields = table.NewFlat(
	table.Odd[Spec, Balancer]{Field: "zone", Compare: compareZone},
	table.Odd[Spec, Balancer]{Field: "vipNetwork", Compare: compareNetwork},
	table.Odd[Spec, Balancer]{Field: "serviceType", Compare: compareFlavor},
)

// Kind is the kind LoadBalancer over c, which may be nil where only rules are
// needed. d says what the words of manifests mean.
func Kind(c *cloud.Client, d defaults.Defaults) kind.Kind {
	return kind.DefineFlat[Spec, State](kind.Info{
		Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "LoadBalancer", Aliases: []string{"verda.linecorp.com"}, Service: cloud.LoadBalancer,
		Unmark: mark.UnmarkByTag("loadbalancer"),
		Loss:   []string{"its address, unless the manifest fixes it"},
		Doc:    "A load balancer with what it listens on, the machines that answer and how their health is found out (Octavia).",
	}, rules{d}, driver{c, &doubts{}})
}
