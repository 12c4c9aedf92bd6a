// Package subnetpool is the kind SubnetPool: prefixes from which subnets get their addresses
// (Neutron). The package does not read or change the subnets.
//
// The kind needs more than a table of fields, because prefixes are compared by the addresses
// that they cover: Neutron joins adjacent prefixes.
package subnetpool

import (
	"bytes"
	"encoding/json"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a subnet pool. Values are from Neutron (neutron-lib
// api/definitions/subnetpool.py).
type Spec struct {
	Name              *string  `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags              []string `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	Prefixes          []string `json:"prefixes" api:"prefixes" rule:"required,min=1,max=128,format=cidr" doc:"Networks from which subnets get their addresses. More can be added. If one is removed, the pool is replaced."`
	DefaultPrefixLen  *Length  `json:"defaultPrefixLength,omitempty" api:"default_prefixlen" rule:"min=0,max=128" doc:"Length of the prefix of a subnet whose manifest gives none; the cloud decides if left out."`
	MinPrefixLen      *Length  `json:"minPrefixLength,omitempty" api:"min_prefixlen" rule:"min=0,max=128" doc:"Shortest prefix of a subnet; the cloud decides if left out."`
	MaxPrefixLen      *Length  `json:"maxPrefixLength,omitempty" api:"max_prefixlen" rule:"min=0,max=128" doc:"Longest prefix of a subnet; the cloud decides if left out."`
	DefaultQuota      *int     `json:"defaultQuota,omitempty" api:"default_quota" rule:"min=0" doc:"How much of the pool a project may use: addresses for IPv4, networks of 64 bits for IPv6. Not managed if left out, because Neutron cannot remove a quota."`
	AddressScopeRef   string   `json:"addressScopeRef,omitempty" api:"address_scope_id,empty" show:"addressScopeID" ref:"AddressScope" doc:"The AddressScope of the pool; none if left out."`
	IsDefault         *bool    `json:"isDefault,omitempty" api:"is_default" rule:"default=false" needs:"administrator" doc:"Whether it is the default pool of subnets that ask for one. Needs an administrator."`
	Shared            *bool    `json:"shared,omitempty" api:"shared" rule:"immutable,default=false" needs:"administrator" doc:"Whether other projects can use the pool. Needs an administrator."`
	define.Shares     `json:",inline"`
	define.ProjectRef `json:",inline"`
}

// Length is the length of a prefix. In answers to create requests, OpenStack Zed writes the
// lengths that it chose itself as texts, not as numbers (neutron/objects/subnetpool.py).
type Length int

// UnmarshalJSON reads a number or a text.
func (l *Length) UnmarshalJSON(text []byte) error {
	var n int
	err := json.Unmarshal(bytes.Trim(text, `"`), &n)
	*l = Length(n)
	return err
}

// More holds the fields of a subnet pool that only Neutron sets.
type More struct {
	IPVersion int `json:"ipVersion" api:"ip_version"`
}

// Filter selects an existing subnet pool.
type Filter struct {
	define.NameFilter    `json:",inline"`
	AddressScopeRef      string `json:"addressScopeRef,omitempty" ref:"AddressScope" doc:"The AddressScope of the pool."`
	IsDefault            *bool  `json:"isDefault,omitempty" doc:"Whether it is the default pool."`
	Shared               *bool  `json:"shared,omitempty" doc:"Whether other projects can use it."`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind SubnetPool. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Group: define.WorkloadGroup, Kind: "SubnetPool", Rare: true, Unmark: mark.UnmarkByLabel("subnet pool"),
			Doc: "Prefixes from which subnets get their addresses (Neutron)."},
		Collection: define.Collection{Path: "subnetpools", Singular: "subnetpool", Extension: "subnet_allocation"}, Sharing: define.Sharing{Type: "subnetpool", Extension: "rbac-subnetpool"},
		Overrides: []table.Override[Spec, More]{{Field: "prefixes", Compare: comparePrefixes}},
		Validate:  validate, Observe: observe,
	})
}

type state = define.State[Spec, More]

func observe(s *state, live *kind.Live) {
	if s.Spec.AddressScopeRef != "" {
		live.Uses = []string{s.Spec.AddressScopeRef}
	}
}
