package securitygroup

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
)

// State is a security group as Neutron shows it, with its rules.
type State struct {
	cloud.NeutronBase
	// Stateful is nil on clouds that know only stateful groups.
	Stateful *bool       `json:"stateful"`
	Rules    []stateRule `json:"security_group_rules"`
}

type stateRule struct {
	ID                   string `json:"id"`
	Description          string `json:"description"`
	Direction            string `json:"direction"`
	Ethertype            string `json:"ethertype"`
	Protocol             string `json:"protocol"`
	PortRangeMin         *int   `json:"port_range_min"`
	PortRangeMax         *int   `json:"port_range_max"`
	RemoteIPPrefix       string `json:"remote_ip_prefix"`
	RemoteGroupID        string `json:"remote_group_id"`
	RemoteAddressGroupID string `json:"remote_address_group_id"`
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name           string         `json:"name"`
	Description    string         `json:"description,omitempty"`
	ProjectID      string         `json:"projectID"`
	Tags           []string       `json:"tags,omitempty"`
	Stateful       bool           `json:"stateful"`
	Rules          []ObservedRule `json:"rules,omitempty"`
	RevisionNumber int            `json:"revisionNumber"`
	CreatedAt      string         `json:"createdAt,omitempty"`
	UpdatedAt      string         `json:"updatedAt,omitempty"`
}

// ObservedRule is one rule of a group.
type ObservedRule struct {
	ID             string     `json:"id"`
	Description    string     `json:"description,omitempty"`
	Direction      string     `json:"direction"`
	RemoteGroupID  string     `json:"remoteGroupID,omitempty"`
	RemoteIPPrefix string     `json:"remoteIPPrefix,omitempty"`
	Protocol       string     `json:"protocol,omitempty"`
	Ethertype      string     `json:"ethertype"`
	PortRange      *PortRange `json:"portRange,omitempty"`
}

func (rules) Status(s *State) any {
	o := Observed{
		Name: s.Name, Description: s.Description(), ProjectID: s.ProjectID, Tags: s.UserTags(), Stateful: cloud.Or(s.Stateful, true),
		RevisionNumber: s.Revision, CreatedAt: cloud.Timestamp(s.CreatedAt), UpdatedAt: cloud.Timestamp(s.UpdatedAt),
	}
	for _, r := range s.Rules {
		rule := ObservedRule{ID: r.ID, Description: r.Description, Direction: r.Direction, RemoteGroupID: r.RemoteGroupID,
			RemoteIPPrefix: r.RemoteIPPrefix, Protocol: r.Protocol, Ethertype: r.Ethertype}
		if r.PortRangeMin != nil || r.PortRangeMax != nil {
			rule.PortRange = &PortRange{Min: cloud.Or(r.PortRangeMin, 0), Max: cloud.Or(r.PortRangeMax, 0)}
		}
		o.Rules = append(o.Rules, rule)
	}
	return o
}
