// Package trunk is the kind Trunk: ports that a machine reaches through another port, by VLAN (Neutron), in K-ORC's vocabulary. The
// package knows the ports only by their IDs.
//
// The kind needs more than a table of fields, because subports are added and removed in separate requests.
package trunk

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of a trunk. Field names and meanings are from K-ORC (api/v1alpha1/trunk_types.go), values are from Neutron
// (neutron-lib api/definitions/trunk.py).
type Spec struct {
	Name              *string   `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string   `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags              []string  `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	PortRef           string    `json:"portRef" api:"port_id" show:"portID" rule:"required,immutable,min=1" ref:"Port" doc:"The Port of the machine. Many clouds cannot make a trunk of a port that is in use."`
	Subports          []Subport `json:"subports,omitempty" api:"sub_ports,set,empty" rule:"max=512,key=portRef" cuts:"these subports are disconnected" doc:"All ports that the machine reaches through the trunk."`
	AdminStateUp      *bool     `json:"adminStateUp,omitempty" api:"admin_state_up" rule:"default=true" doc:"Whether subports can be added and removed."`
	define.ProjectRef `json:",inline"`
}

// Subport is a port that a machine reaches through the trunk's port.
type Subport struct {
	PortRef          string `json:"portRef" api:"port_id" show:"portID" rule:"required,min=1" ref:"Port" doc:"The Port."`
	SegmentationID   int    `json:"segmentationID,omitempty" api:"segmentation_id" rule:"min=1,max=4094" doc:"VLAN by which the machine reaches it. Required for vlan; has no effect for inherit."`
	SegmentationType string `json:"segmentationType,omitempty" api:"segmentation_type" rule:"enum=vlan|inherit,default=vlan" doc:"How the machine distinguishes it from other subports. inherit: by the VLAN of its network, which must be a VLAN network. An existing subport keeps its number."`
}

// More holds the fields of a trunk that only Neutron sets.
type More struct {
	Status   string `json:"status" api:"status"`
	TenantID string `json:"tenantID" api:"tenant_id"`
}

// Filter selects an existing trunk.
type Filter struct {
	define.NameFilter    `json:",inline"`
	PortRef              string `json:"portRef,omitempty" ref:"Port" doc:"The Port of the machine."`
	AdminStateUp         *bool  `json:"adminStateUp,omitempty" doc:"Whether the trunk is switched on."`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind Trunk. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Kind: "Trunk", Unmark: mark.UnmarkByLabel("network trunk"),
			Doc: "Ports that a machine reaches through one other port, by VLAN (Neutron)."},
		Collection: define.Collection{Path: "trunks", Singular: "trunk", Extension: "trunk"},
		Overrides:  []table.Override[Spec, More]{{Field: "subports", Compare: compareSubports, Write: writeSubports}},
		Validate:   validate, Observe: observe, Update: update,
	})
}

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

func validate(s *Spec, r *kind.Report) {
	ports, segments := map[string]bool{s.PortRef: true}, map[int]bool{}
	for i, p := range s.Subports {
		field := fmt.Sprintf("spec.resource.subports[%d]", i)
		if ports[p.PortRef] {
			r.Problem(field+".portRef", "names "+p.PortRef+" for the second time", "name each port once, and do not name the port of the trunk itself")
		}
		ports[p.PortRef] = true
		if p.inherits() {
			continue
		}
		switch {
		case p.SegmentationID == 0:
			r.Problem(field+".segmentationID", "is missing", "give the number of a VLAN, or set segmentationType: inherit")
		case segments[p.SegmentationID]:
			r.Problem(field+".segmentationID", fmt.Sprintf("is %d for the second time", p.SegmentationID), "give each subport a number of its own")
		}
		segments[p.SegmentationID] = true
	}
}

// observe counts DOWN as Ready, because it is the status of a trunk that no machine uses.
func observe(s *state, live *kind.Live) {
	live.Uses = []string{s.Spec.PortRef}
	for _, p := range s.Spec.Subports {
		live.Uses = append(live.Uses, p.PortRef)
	}
	if s.More.Status == "ERROR" || s.More.Status == "DEGRADED" {
		live.Phase, live.Message = kind.Degraded, "the cloud reports status "+s.More.Status
	}
}

// wanted returns the subports of the manifest, with IDs. Neutron reads an inherited VLAN only once, when a subport is added. Therefore a
// subport that inherits its VLAN gets the one in have.
func wanted(w typed.Want[Spec], have []Subport) []Subport {
	list := slices.Clone(w.Spec.Subports)
	for i := range list {
		list[i].PortRef = table.ID(w.Ref("Port", list[i].PortRef))
		at := slices.IndexFunc(have, func(p Subport) bool { return p.PortRef == list[i].PortRef })
		if list[i].inherits() && at >= 0 {
			list[i] = have[at]
		}
	}
	return list
}

func (p Subport) inherits() bool { return p.SegmentationType == inherit }

const inherit = "inherit"

// String is the text by which subports are compared.
func (p Subport) String() string {
	if p.inherits() {
		return p.PortRef + " by the vlan of its network"
	}
	return fmt.Sprintf("%s by vlan %d", p.PortRef, p.SegmentationID)
}

func texts(list []Subport) (out []string) {
	for _, p := range list {
		out = append(out, p.String())
	}
	return out
}

func compareSubports(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	kind.Set(c, "spec.resource.subports", texts(have.Spec.Subports), texts(wanted(w, have.Spec.Subports)), kind.InPlace)
}

// writeSubports writes subports into the create request. Neutron does not accept them in an update.
func writeSubports(w typed.Want[Spec], have *table.Object[Spec, More], body map[string]any) {
	if have == nil {
		body["sub_ports"] = bodies(wanted(w, nil))
	}
}

func bodies(list []Subport) []any {
	out := []any{}
	for _, p := range list {
		body := map[string]any{"port_id": p.PortRef, "segmentation_type": inherit}
		if !p.inherits() {
			body["segmentation_type"], body["segmentation_id"] = "vlan", p.SegmentationID
		}
		out = append(out, body)
	}
	return out
}

// update changes the subports while the trunk is switched on, because Neutron refuses that otherwise. It removes subports before it adds
// others.
func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	if kind.Has(n.Changes, table.Path("subports")) {
		n.Raised = true
		up, stays := table.Or(n.Have.State.Spec.AdminStateUp, true), table.Or(n.Want.Spec.AdminStateUp, true)
		if !up && !stays {
			return fmt.Errorf("%w: spec.resource.subports: Neutron changes no subports of a trunk that is switched off; set adminStateUp: true", kind.ErrRejected)
		}
		if !up {
			if err := d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "trunks/" + n.Have.ID, Body: map[string]any{"trunk": map[string]any{"admin_state_up": true}}}); err != nil {
				return err
			}
		}
		have := n.Have.State.Spec.Subports
		want := wanted(n.Want, have)
		if err := edit(ctx, d, n.Have.ID, "remove", have, want); err != nil {
			return err
		}
		if err := edit(ctx, d, n.Have.ID, "add", want, have); err != nil {
			return err
		}
	}
	return d.Write(ctx, n)
}

// edit adds or removes the subports that are in list but not in others.
func edit(ctx context.Context, d driver, id, how string, list, others []Subport) error {
	present := texts(others)
	list = slices.DeleteFunc(slices.Clone(list), func(p Subport) bool { return slices.Contains(present, p.String()) })
	if len(list) == 0 {
		return nil
	}
	return d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "trunks/" + id + "/" + how + "_subports", Body: map[string]any{"sub_ports": bodies(list)}})
}
