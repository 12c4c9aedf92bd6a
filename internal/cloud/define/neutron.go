package define

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NeutronResource names a collection of Neutron's as in its path
// ("security-groups", "qos/policies"), and how one of it is called in a body
// ("security_group", "policy"). Lists and tags go by the last word of the path.
type NeutronResource struct {
	Collection, Singular string
	// Extension is what a cloud must offer to have any; "" where all do.
	Extension string
	// Sharing is for those that can be shared with single projects, whose Spec has [Shares].
	Sharing Sharing
}

// NeutronBase are the attributes that every Neutron resource has.
// (neutron-lib api/definitions: standard attributes)
type NeutronBase struct {
	ID   string `json:"id" api:"id"`
	Name string `json:"name" api:"name"`
	// Described is the description with the mark that may stand in it.
	Described string    `json:"description" api:"description"`
	ProjectID string    `json:"project_id" api:"project_id"`
	Tags      []string  `json:"tags" api:"tags"`
	Revision  int       `json:"revision_number" api:"revision_number"`
	CreatedAt time.Time `json:"created_at" api:"created_at"`
	UpdatedAt time.Time `json:"updated_at" api:"updated_at"`
}

// Description is what people wrote there, without a mark.
func (b NeutronBase) Description() string {
	own, _ := mark.InDescription(b.Described)
	return own
}

// MarkInDescription reports whether the mark stands in the description, so that every
// update writes that.
func (b NeutronBase) MarkInDescription() bool {
	_, m := mark.InDescription(b.Described)
	return m != nil
}

// Mark finds the owner mark, in the tags and in the description.
func (b NeutronBase) Mark() *kind.Mark { return mark.InLabels(b.Tags, b.Described) }

// UserTags are the tags that are not ours, sorted.
func (b NeutronBase) UserTags() []string { return mark.UserTags(b.Tags) }

// Labels are the description and tags a manifest asks for.
type Labels struct {
	Description string
	Tags        []string
	// MarkInTags keeps the mark out of the description: for what has no name by which
	// it would still be found, and where others are meant to write the description.
	MarkInTags bool
	// Guarded has the mark in the description where it fits, on clouds whose tags can be
	// written by everybody who sees the object: for what is shared with other projects.
	Guarded bool
	// Elsewhere has the mark in the description on all clouds, or nowhere: for what is in another
	// project.
	Elsewhere bool
}

// NeutronState is an object as Neutron shows it.
type NeutronState[Spec, More any] struct {
	NeutronBase
	table.Object[Spec, More]
}

// UnmarshalJSON reads an answer, once. In Spec, description and tags are without the mark.
func (s *NeutronState[Spec, More]) UnmarshalJSON(text []byte) error {
	var answer table.Attributes
	if err := json.Unmarshal(text, &answer); err != nil || answer == nil { // null is no object
		return err
	}
	if err := table.Read(answer, &s.NeutronBase); err != nil {
		return err
	}
	if own := s.Description(); own != s.Described || own == "" { // null is no description either
		answer["description"] = encoded(own)
	}
	if own := s.UserTags(); !slices.Equal(own, s.Tags) {
		answer["tags"] = encoded(own)
	}
	return s.Read(answer)
}

func encoded[T string | []string](value T) json.RawMessage {
	text, _ := json.Marshal(value) // texts are never refused
	return text
}

// IsRouterPort reports, by a port's device_owner, whether it is, or shall become, the
// interface of a router. (neutron-lib constants.py: ROUTER_INTERFACE_OWNERS)
func IsRouterPort(deviceOwner string) bool {
	return strings.HasPrefix(deviceOwner, "network:router_interface") || deviceOwner == "network:ha_router_replicated_interface"
}
