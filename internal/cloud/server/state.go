package server

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// State is a server as Nova shows it up to microversion 2.46 (later ones name
// the flavor without its ID), joined with what Neutron and the server groups
// know about it.
type State struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	Status           string            `json:"status"`
	TaskState        string            `json:"OS-EXT-STS:task_state"`
	ProjectID        string            `json:"tenant_id"`
	HostID           string            `json:"hostId"`
	Host             string            `json:"OS-EXT-SRV-ATTR:host"` // its name, for administrators only; "" of a server that has none
	Description      string            `json:"description"`
	Metadata         map[string]string `json:"metadata"`
	Tags             []string          `json:"tags"`
	Image            imageLink         `json:"image"`
	Flavor           link              `json:"flavor"`
	KeyName          string            `json:"key_name"`
	AvailabilityZone string            `json:"OS-EXT-AZ:availability_zone"`
	ConfigDrive      string            `json:"config_drive"`
	LaunchedAt       string            `json:"OS-SRV-USG:launched_at"`
	Volumes          []link            `json:"os-extended-volumes:volumes_attached"`
	Created          time.Time         `json:"created"`
	Updated          time.Time         `json:"updated"`
	Fault            struct {
		Message string `json:"message"`
	} `json:"fault"`

	Ports  []port   `json:"-"`
	Groups []string `json:"-"` // IDs of its server groups
	// GroupsKnown is false when the cloud does not let us see server groups.
	GroupsKnown bool `json:"-"`
}

type link struct {
	ID string `json:"id"`
}

// imageLink is "" for a server that was booted from a volume.
type imageLink struct{ link }

// UnmarshalJSON takes an object, "" or null.
func (i *imageLink) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		return json.Unmarshal(text, &i.link)
	}
	return nil
}

// port is a Neutron port that is plugged into a server.
type port struct {
	ID          string `json:"id"`
	DeviceID    string `json:"device_id"`
	DeviceOwner string `json:"device_owner"`
	NetworkID   string `json:"network_id"`
	MAC         string `json:"mac_address"`
	Status      string `json:"status"`
	FixedIPs    []struct {
		SubnetID string `json:"subnet_id"`
		Address  string `json:"ip_address"`
	} `json:"fixed_ips"`
}

const portFields = "fields=id&fields=device_id&fields=device_owner&fields=network_id&fields=mac_address&fields=status&fields=fixed_ips"

func (s *State) portIDs() []string {
	ids := make([]string, len(s.Ports))
	for i, p := range s.Ports {
		ids[i] = p.ID
	}
	return ids
}

func (s *State) volumeIDs() []string {
	ids := make([]string, len(s.Volumes))
	for i, v := range s.Volumes {
		ids[i] = v.ID
	}
	return ids
}

// dataVolumes are the attached volumes but the one booted from.
func (s *State) dataVolumes(boot string) []string {
	return slices.DeleteFunc(s.volumeIDs(), func(id string) bool { return id == boot })
}

// description is where Nova keeps it, or, before 2.19, where we do.
func (s *State) description() string {
	if text, ok := s.Metadata[descriptionKey]; ok {
		return text
	}
	return s.Description
}

// phase says where a server stands. (api-guide: server concepts)
//
//	BUILD, REBOOT, RESIZE, …      pending
//	ACTIVE                        ready
//	ERROR, never launched         failed: the build did not succeed
//	ERROR, had been running       degraded: its disk may hold what people need
//	DELETED, SOFT_DELETED         deleting; so is any with that task
//	SHUTOFF, PAUSED, SHELVED, …   degraded
func (s *State) phase() (kind.Phase, string) {
	if s.TaskState == "deleting" {
		return kind.Deleting, "is being deleted"
	}
	switch s.Status {
	case "ACTIVE":
		return kind.Ready, ""
	case "BUILD", "REBUILD", "REBOOT", "HARD_REBOOT", "RESIZE", "REVERT_RESIZE", "MIGRATING", "PASSWORD":
		return kind.Pending, strings.TrimSpace("is in " + s.Status + " " + s.TaskState)
	case "DELETED", "SOFT_DELETED":
		return kind.Deleting, "is being deleted"
	case "ERROR":
		text := strings.TrimRight(s.Fault.Message, ". ")
		if text == "" {
			text = "the cloud gives no reason"
		}
		if s.LaunchedAt == "" {
			return kind.Failed, text
		}
		return kind.Degraded, "is in ERROR: " + text + "; it has been running before, so it is not made anew: reset its state, or delete it"
	case "VERIFY_RESIZE":
		return kind.Degraded, "waits for somebody to confirm or revert its resize"
	}
	return kind.Degraded, "is " + s.Status
}

// down says whether a server that is there serves nobody.
// (api-guide: server concepts)
func (s *State) down() string {
	if phase, _ := s.phase(); phase != kind.Degraded {
		return ""
	}
	switch s.Status {
	case "ERROR":
		return "failed"
	case "SHUTOFF", "PAUSED", "SUSPENDED", "SHELVED", "SHELVED_OFFLOADED", "RESCUE":
		return "stopped"
	}
	return ""
}

// live gives a server its live shape.
func (s *State) live(projectID string) kind.Live[*State] {
	l := kind.Live[*State]{ID: s.ID, Name: s.Name, Mark: cloud.MarkInMetadata(s.Metadata), Mine: s.ProjectID == projectID,
		Uses: slices.Concat(s.portIDs(), s.volumeIDs(), s.Groups), Created: s.Created, State: s}
	l.Phase, l.Message = s.phase()
	l.Down = s.down()
	if s.Host != "" {
		l.Facts.Host = s.Host
	}
	for _, p := range s.Ports {
		for _, ip := range p.FixedIPs {
			l.Tokens = append(l.Tokens, ip.SubnetID+"/"+ip.Address)
			if l.Facts.Address == "" {
				l.Facts.Address, l.Facts.SubnetID = ip.Address, ip.SubnetID
			}
		}
	}
	return l
}
