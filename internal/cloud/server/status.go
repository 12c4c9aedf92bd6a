package server

import (
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name             string              `json:"name"`
	Description      string              `json:"description,omitempty"`
	HostID           string              `json:"hostID,omitempty"`
	Status           string              `json:"status"`
	ImageID          string              `json:"imageID,omitempty"`
	FlavorID         string              `json:"flavorID,omitempty"`
	KeyName          string              `json:"keyName,omitempty"`
	AvailabilityZone string              `json:"availabilityZone,omitempty"`
	ServerGroups     []string            `json:"serverGroups,omitempty"`
	Volumes          []ObservedVolume    `json:"volumes,omitempty"`
	Interfaces       []ObservedInterface `json:"interfaces,omitempty"`
	Tags             []string            `json:"tags,omitempty"`
	Metadata         []Metadata          `json:"metadata,omitempty"`
	ConfigDrive      bool                `json:"configDrive"`
}

// ObservedVolume is a volume that is attached.
type ObservedVolume struct {
	ID string `json:"id"`
}

// ObservedInterface is a port that is plugged in.
type ObservedInterface struct {
	PortID    string            `json:"portID"`
	NetID     string            `json:"netID"`
	MACAddr   string            `json:"macAddr"`
	PortState string            `json:"portState"`
	FixedIPs  []ObservedAddress `json:"fixedIPs,omitempty"`
}

// ObservedAddress is an address of a port.
type ObservedAddress struct {
	IPAddress string `json:"ipAddress"`
	SubnetID  string `json:"subnetID"`
}

func (rules) Status(s *State) any {
	o := Observed{Name: s.Name, Description: s.description(), HostID: s.HostID, Status: s.Status, ImageID: s.Image.ID,
		FlavorID: s.Flavor.ID, KeyName: s.KeyName, AvailabilityZone: s.AvailabilityZone, ServerGroups: s.Groups,
		Tags: s.Tags, ConfigDrive: s.ConfigDrive == "True"}
	for _, id := range s.volumeIDs() {
		o.Volumes = append(o.Volumes, ObservedVolume{id})
	}
	for _, p := range s.Ports {
		i := ObservedInterface{PortID: p.ID, NetID: p.NetworkID, MACAddr: p.MAC, PortState: p.Status}
		for _, ip := range p.FixedIPs {
			i.FixedIPs = append(i.FixedIPs, ObservedAddress{IPAddress: ip.Address, SubnetID: ip.SubnetID})
		}
		o.Interfaces = append(o.Interfaces, i)
	}
	metadata := cloud.UserMetadata(s.Metadata)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		o.Metadata = append(o.Metadata, Metadata{Key: key, Value: metadata[key]})
	}
	return o
}
