package loadbalancer

import "github.com/stackreeve/stackreeve/internal/cloud"

// Observed is status.resource: the tree as Octavia reports it.
type Observed struct {
	Name               string             `json:"name"`
	Description        string             `json:"description"`
	ProjectID          string             `json:"projectID"`
	ProvisioningStatus string             `json:"provisioningStatus"`
	OperatingStatus    string             `json:"operatingStatus"`
	AdminStateUp       bool               `json:"adminStateUp"`
	VIPAddress         string             `json:"vipAddress"`
	VIPPortID          string             `json:"vipPortID"`
	VIPSubnetID        string             `json:"vipSubnetID"`
	VIPNetworkID       string             `json:"vipNetworkID"`
	Provider           string             `json:"provider"`
	Flavor             string             `json:"flavor,omitempty"`
	AvailabilityZone   string             `json:"availabilityZone,omitempty"`
	Tags               []string           `json:"tags,omitempty"`
	Listeners          []ObservedListener `json:"listeners,omitempty"`
	CreatedAt          string             `json:"createdAt,omitempty"`
	UpdatedAt          string             `json:"updatedAt,omitempty"`
}

// ObservedListener is a listener with the pool that answers it.
type ObservedListener struct {
	ID              string           `json:"id"`
	Name            string           `json:"name"`
	Protocol        string           `json:"protocol"`
	Port            int              `json:"port"`
	OperatingStatus string           `json:"operatingStatus"`
	PoolID          string           `json:"poolID,omitempty"`
	Algorithm       string           `json:"algorithm,omitempty"`
	Monitor         string           `json:"monitor,omitempty"`
	Members         []ObservedMember `json:"members,omitempty"`
}

// ObservedMember is one who answers.
type ObservedMember struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	Address         string `json:"address"`
	Port            int    `json:"port"`
	OperatingStatus string `json:"operatingStatus"`
}

// Status implements kind.Rules.
func (rules) Status(s *State) any {
	out := Observed{
		Name: s.Name, Description: s.Description, ProjectID: s.ProjectID, ProvisioningStatus: s.ProvisioningStatus, OperatingStatus: s.OperatingStatus,
		AdminStateUp: s.AdminStateUp, VIPAddress: s.VIPAddress, VIPPortID: s.VIPPortID, VIPSubnetID: s.VIPSubnetID, VIPNetworkID: s.VIPNetworkID,
		Provider: s.Provider, Flavor: s.Flavor, AvailabilityZone: s.AvailabilityZone, Tags: cloud.UserTags(s.Tags),
		CreatedAt: utc(s.CreatedAt), UpdatedAt: utc(s.UpdatedAt),
	}
	for _, l := range s.Listeners {
		o := ObservedListener{ID: l.ID, Name: l.Name, Protocol: l.Protocol, Port: l.Port, OperatingStatus: l.OperatingStatus, PoolID: l.DefaultPoolID}
		if p := s.pool(l.DefaultPoolID); p != nil {
			o.Algorithm = p.Algorithm
			if p.Monitor != nil {
				o.Monitor = p.Monitor.Type
			}
			for _, m := range p.Members {
				o.Members = append(o.Members, ObservedMember{ID: m.ID, Name: m.Name, Address: m.Address, Port: m.Port, OperatingStatus: m.OperatingStatus})
			}
		}
		out.Listeners = append(out.Listeners, o)
	}
	return out
}

// tokens are what leads to the load balancer: its port goes with it.
func (s *State) tokens() []string {
	if s.VIPPortID == "" {
		return nil
	}
	return []string{s.VIPPortID}
}

// utc completes a time of Octavia's, which says no zone and means UTC.
func utc(stamp string) string {
	if stamp == "" {
		return ""
	}
	return stamp + "Z"
}
