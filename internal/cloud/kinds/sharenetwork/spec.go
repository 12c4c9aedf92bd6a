// Package sharenetwork is the kind ShareNetwork: the network to which share servers are connected
// (Manila), in K-ORC's vocabulary. The package does not read or change shares.
//
// Share networks have no metadata and no tags, so the owner mark is at the end of the description.
//
// Requests name no microversion. Up to microversion 2.50, a share network shows the network and
// subnet that apply to all availability zones in separate fields. Later microversions show them in
// a list of subnets. If a request names no microversion, Manila still answers in the old form.
package sharenetwork

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a share network. Field names and meanings are from K-ORC
// (api/v1alpha1/sharenetwork_types.go), values are from Manila (manila/db/sqlalchemy/models.py:
// ShareNetwork). Descriptions must be shorter than in Manila, because they contain the mark.
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=140" doc:"Free text. Manila accepts 255 characters, including the owner mark at the end."`
	NetworkRef  string  `json:"networkRef,omitempty" api:"neutron_net_id,null" show:"neutronNetID" ref:"Network" doc:"The Network of the share servers; none if left out. Manila refuses to change it while a share server uses it. Required with subnetRef."`
	SubnetRef   string  `json:"subnetRef,omitempty" api:"neutron_subnet_id,null" show:"neutronSubnetID" ref:"Subnet" doc:"The Subnet of that network for the addresses of share servers, in all availability zones."`
}

// More holds the fields of a share network that only Manila sets. The fields about its
// network are empty until the first share server exists.
type More struct {
	NetworkType    string     `json:"networkType" api:"network_type"`
	SegmentationID *int       `json:"segmentationID,omitempty" api:"segmentation_id"`
	CIDR           string     `json:"cidr" api:"cidr"`
	IPVersion      *int       `json:"ipVersion,omitempty" api:"ip_version"`
	ProjectID      string     `json:"projectID" api:"project_id"`
	CreatedAt      table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt      table.Time `json:"updatedAt" api:"updated_at"`
}

// Filter selects an existing share network.
type Filter struct {
	define.NameFilter `json:",inline"`
}

// Kind returns the kind ShareNetwork. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "ShareNetwork", Service: cloud.SharedFileSystem, Rare: true,
			Unmark: "openstack share network set --description <text> <id>",
			Doc:    "The network of the servers of shared file systems (Manila).",
		},
		Collection: define.Collection{Path: "share-networks", Lists: []string{"share-networks/detail"}, Field: "share_networks", Singular: "share_network",
			UpdateBy: http.MethodPut, Project: "project_id"},
		Mark:     mark.DescriptionPlace,
		Validate: validate, Observe: observe, Show: show, Export: export,
		QuotaNeeded: define.One[Spec](cloud.SharedFileSystem, "share_networks"),
	})
}

type state = define.State[Spec, More]

// show always shows a cidr, even an empty one, as K-ORC does.
func show(s *state, out table.Shown) { out["cidr"] = s.More.CIDR }
