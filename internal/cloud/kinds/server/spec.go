// Package server is the kind Server: a Nova instance, in K-ORC's vocabulary. The package reads servers from Nova, and finds out which ports, volumes
// and server groups belong to them. It creates none of these.
package server

import (
	"encoding/json"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the declared server. Field names and meanings are from K-ORC (api/v1alpha1/server_types.go), except description, which is added. Some
// values are only used at creation (the key pair, the server group of the hints). They are not marked immutable, so if a key pair is recreated under
// the same name, its servers are not replaced.
type Spec struct {
	Name             *string         `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description      *string         `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	ImageRef         string          `json:"imageRef,omitempty" api:"imageRef,read=image.id" show:"imageID" rule:"immutable" ways:"rebuild=rebuild" loss:"its local disk" ref:"Image" doc:"Image to boot from; or use bootVolume."`
	FlavorRef        string          `json:"flavorRef" api:"flavorRef,read=flavor.id" show:"flavorID" rule:"required,immutable,min=1" ways:"resize=reboot" ref:"Flavor" doc:"Size of the server."`
	BootVolume       *BootVolume     `json:"bootVolume,omitempty" rule:"immutable,whole" doc:"Volume to boot from, instead of imageRef."`
	UserData         *UserData       `json:"userData,omitempty" rule:"immutable,whole" ways:"rebuild=rebuild" loss:"its local disk" alias:"initScript" doc:"User data, which cloud-init or ignition runs at the first boot."`
	Ports            []PortRef       `json:"ports" rule:"required,max=64,key=portRef" cuts:"the machine is not connected to a network any more" doc:"All ports of the server."`
	Volumes          []VolumeRef     `json:"volumes,omitempty" rule:"max=64,key=volumeRef" doc:"All attached volumes, besides bootVolume."`
	AvailabilityZone string          `json:"availabilityZone,omitempty" api:"availability_zone,read=OS-EXT-AZ:availability_zone" rule:"immutable,max=255" doc:"Availability zone of the server; the cloud decides if left out."`
	KeypairRef       string          `json:"keypairRef,omitempty" api:"key_name" show:"keyName" ways:"rebuild=rebuild" loss:"its local disk" ref:"KeyPair" doc:"Key pair for SSH. Nova uses the field only when it creates the server. Another key pair, or none, makes a new server."`
	Tags             []string        `json:"tags,omitempty" api:"tags,set,empty" rule:"max=50,unique" doc:"Tags."`
	Metadata         []Metadata      `json:"metadata,omitempty" api:"metadata,pairs,empty" rule:"max=120,key=key" doc:"Metadata, besides those that mark the owner."`
	ConfigDrive      *bool           `json:"configDrive,omitempty" api:"config_drive" rule:"immutable" doc:"Whether the server gets the user data on a drive; the cloud decides if left out. Clouds and images may require a drive. If the server has a drive although this is false, a plan notes it, and the server is not replaced."`
	SchedulerHints   *SchedulerHints `json:"schedulerHints,omitempty" api:"os:scheduler_hints,unread" doc:"Hints for the scheduler about the host. Nova uses them only when it creates the server. Other hints make a new server."`
	GroupRef         string          `json:"serverGroupRef,omitempty" rule:"min=1" doc:"The same as schedulerHints.serverGroupRef. K-ORC 2.6.0 has the field at this place."`

	// TrunkRefs are the trunks of its ports that the repository declares. They are created first, because many clouds refuse a trunk of a port in use.
	TrunkRefs []string `json:"-" ref:"Trunk,order" from:"ports"`
	// NetworkRefs are the networks of its ports, if manifests declare them.
	NetworkRefs []string `json:"-" ref:"Network,order" from:"ports"`
	// PeerRefs are the ports whose addresses the template of the user data uses.
	PeerRefs []string `json:"-" ref:"Port,order" from:"userData"`
	// BootImageRef is the declared image of the boot volume, if a rebuild has to write it.
	BootImageRef string `json:"-" ref:"Image" from:"imageRef"`
}

// PortRef names a port.
type PortRef struct {
	PortRef string `json:"portRef,omitempty" rule:"required,min=1" ref:"Port" doc:"Port to plug in."`
}

// BootVolume is the volume that a server boots from.
type BootVolume struct {
	VolumeRef string  `json:"volumeRef" rule:"required,min=1" ref:"Volume" doc:"Volume made from an image."`
	Tag       *string `json:"tag,omitempty" rule:"max=255" doc:"Device tag that the server finds in its metadata service."`
}

// VolumeRef names a volume, and its device name.
type VolumeRef struct {
	VolumeRef string  `json:"volumeRef" rule:"required,min=1" ref:"Volume" doc:"Volume to attach."`
	Device    *string `json:"device,omitempty" rule:"max=255" doc:"Device name such as /dev/vdb. The hypervisor may choose another one when the volume is attached."`
}

// UserData says where the user data come from.
type UserData struct {
	SecretRef     *string        `json:"secretRef,omitempty" ref:"Secret" doc:"Secret with the text in its key value or userData."`
	SecretKeyRef  *SecretKey     `json:"secretKeyRef,omitempty" doc:"Entry of a Secret with the text."`
	ConfigMapRef  *ConfigMapKey  `json:"configMapRef,omitempty" doc:"Entry of a ConfigMap with the text."`
	Value         *string        `json:"value,omitempty" rule:"secret" doc:"The text itself."`
	Template      bool           `json:"template,omitempty" doc:"Whether it is a template, which the agent fills in when it creates the server; see initScript of VirtualMachine."`
	Group         *machine.Group `json:"group,omitempty" doc:"The server's peers, for a template; only the server itself if left out. The ports of peers must have the names of their servers."`
	machine.Given `json:",inline"`
	Script        bool `json:"script,omitempty" doc:"Whether the text is a shell script. If it is, and has no first line such as #!/bin/bash, the agent adds #!/bin/sh."`
}

// SecretKey names a key in the data of a Secret.
type SecretKey struct {
	Name string `json:"name" rule:"required,min=1" ref:"Secret" doc:"Name of the Secret."`
	Key  string `json:"key" rule:"required,min=1" doc:"Key in the data of that object."`
}

// ConfigMapKey names a key in the data of a ConfigMap.
type ConfigMapKey struct {
	Name string `json:"name" rule:"required,min=1" ref:"ConfigMap" doc:"Name of the ConfigMap."`
	Key  string `json:"key" rule:"required,min=1" doc:"Key in the data of that object."`
}

// Metadata is one item of a server's metadata.
type Metadata struct {
	Key   string `json:"key" rule:"required,min=1,max=255" doc:"Name of the item."`
	Value string `json:"value" rule:"lines,required,max=255" doc:"Value of the item."`
}

// SchedulerHints tell the scheduler where to put a server.
type SchedulerHints struct {
	ServerGroupRef          string            `json:"serverGroupRef,omitempty" api:"group" rule:"immutable" ref:"ServerGroup" doc:"Server group of the server."`
	DifferentHostServerRefs []string          `json:"differentHostServerRefs,omitempty" api:"different_host" rule:"max=64,unique,format=name" ref:"Server" doc:"Servers that must not be on the same host."`
	SameHostServerRefs      []string          `json:"sameHostServerRefs,omitempty" api:"same_host" rule:"max=64,unique,format=name" ref:"Server" doc:"Servers that must be on the same host."`
	Query                   string            `json:"query,omitempty" api:"query" rule:"max=1024" doc:"Condition on hosts, in the scheduler's JSON."`
	TargetCell              string            `json:"targetCell,omitempty" api:"target_cell" rule:"max=255" doc:"Nova cell in which the server must be."`
	DifferentCell           []string          `json:"differentCell,omitempty" api:"different_cell" rule:"max=64" doc:"Nova cells in which the server must not be."`
	BuildNearHostIP         string            `json:"buildNearHostIP,omitempty" rule:"format=cidr" doc:"Network of the hosts near which the server should be, such as 192.0.2.0/24."`
	AdditionalProperties    map[string]string `json:"additionalProperties,omitempty" doc:"Hints that are specific to this cloud."`
}

// More holds the fields of a server that only Nova sets, up to microversion 2.46 (later versions show the flavor without its ID). It also has the
// server's ports and server groups.
type More struct {
	Status     string     `json:"status" api:"status"`
	HostID     string     `json:"hostID" api:"hostId"`
	Volumes    []Volume   `json:"volumes" api:"os-extended-volumes:volumes_attached"`
	TaskState  string     `json:"taskState" api:"OS-EXT-STS:task_state" show:"-"`
	Fault      string     `json:"fault" api:"fault,read=fault.message" show:"-"`
	Locked     bool       `json:"locked" api:"locked" show:"-"`
	LaunchedAt table.Time `json:"launchedAt" api:"OS-SRV-USG:launched_at" show:"-"`
	Host       string     `json:"host" api:"OS-EXT-SRV-ATTR:host" show:"-"` // name of the host, shown to administrators only; "" if the server has none
	Created    table.Time `json:"created" api:"created" show:"-"`
	Updated    table.Time `json:"updated" api:"updated" show:"-"`
	Cards      cards      `json:"cards" api:"addresses" show:"-"`

	Interfaces   []Interface `json:"interfaces" api:"interfaces,unread"`
	ServerGroups []string    `json:"serverGroups" api:"groups,unread"`
	GroupsKnown  bool        `json:"-"` // false if the cloud does not show server groups

	// Images are the images from which attached volumes were created, by the volume's ID. Outdated names the API version that the cloud lacks to write
	// another image to the boot volume. Both are read only if the server boots from a volume.
	Images   map[string]string `json:"-"`
	Outdated string            `json:"-"`
}

// cards is the number of network interfaces that have an address.
type cards int

// UnmarshalJSON counts the MAC addresses in Nova's addresses. (nova/api/openstack/compute/views/addresses.py)
func (c *cards) UnmarshalJSON(text []byte) error {
	var networks map[string][]struct {
		MAC string `json:"OS-EXT-IPS-MAC:mac_addr"`
	}
	if err := json.Unmarshal(text, &networks); err != nil {
		return fmt.Errorf("addresses: %w", err)
	}
	seen := map[string]bool{}
	for _, list := range networks {
		for _, one := range list {
			seen[one.MAC] = true
		}
	}
	*c = cards(len(seen))
	return nil
}

// Volume is an attached volume.
type Volume struct {
	ID     string `json:"id" api:"id"`
	Doomed bool   `json:"doomed" api:"delete_on_termination" show:"-"` // Nova deletes the volume with the server
}

// Interface is an attached Neutron port.
type Interface struct {
	PortID      string    `json:"portID" api:"id"`
	DeviceID    string    `json:"deviceID" api:"device_id" show:"-"` // ID of the server
	DeviceOwner string    `json:"deviceOwner" api:"device_owner" show:"-"`
	NetID       string    `json:"netID" api:"network_id"`
	MACAddr     string    `json:"macAddr" api:"mac_address"`
	PortState   string    `json:"portState" api:"status"`
	FixedIPs    []FixedIP `json:"fixedIPs" api:"fixed_ips"`
}

// FixedIP is an address of a port.
type FixedIP struct {
	IPAddress string `json:"ipAddress" api:"ip_address"`
	SubnetID  string `json:"subnetID" api:"subnet_id"`
}

// Filter selects an existing server.
type Filter struct {
	Name             *string `json:"name,omitempty" api:"name,named" doc:"Exact name."`
	AvailabilityZone string  `json:"availabilityZone,omitempty" rule:"max=255" doc:"Availability zone of the server."`
	define.TagFilter `json:",inline"`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind Server over c, which may be nil where only rules are needed. master is the key from which certificates in user data are
// derived, or nil.
func Kind(c *cloud.Client, master *pki.Master) *kind.Kind {
	complete, judge := completer{master}, judge{c}
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Joins: []string{portList, cloud.Compute + "/os-server-groups", cloud.BlockStorage + "/volumes"},
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Server", Service: cloud.Compute,
			Unmark: mark.UnmarkByProperty("server"),
			Loss:   []string{"its local disk", "the addresses of ports that Nova made for it"},
			Doc:    "A virtual machine (Nova).",
		},
		Collection: define.Collection{Path: "servers", Lists: []string{"servers/detail"}, Field: "servers", Project: "tenant_id", Microversion: withFlavorID},
		Mark:       mark.MetadataPlace,
		Overrides: []table.Override[Spec, More]{
			{Field: "bootVolume", Compare: compareBoot, Write: writeDisks},
			{Field: "imageRef", Compare: compareImage, Closed: noRebuild, Loss: diskLoss},
			{Field: "userData", Closed: noRebuild, Loss: diskLoss},
			{Field: "ports", Compare: comparePorts, Write: writePorts},
			{Field: "volumes", Compare: compareVolumes}, // writeDisks writes this field, too
			{Field: "availabilityZone", Compare: compareZone},
			{Field: "configDrive", Compare: compareDrive},
			{Field: "keypairRef", Compare: comparedInDiffMore, Closed: noRebuild, Loss: diskLoss},
		},
		Validate: validate, Expand: expand, Diff: diffMore, Export: export, Observe: observe, Join: join, Addresses: addresses,
		Cures:  []kind.Way{{Name: byRestart, Disruption: kind.Reboot}, {Name: byRebuild, Disruption: kind.Rebuild, Loss: "its local disk"}},
		Create: complete.create, Update: complete.update, Delete: remove, Unmark: unmark, Trace: trace, QuotaNeeded: quotaNeeded, Impossible: impossible, LikelyRefusal: judge.doubtful, ExclusiveClaims: exclusiveClaims, Zone: zone,
	})
}
