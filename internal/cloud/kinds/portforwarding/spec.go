// Package portforwarding is the kind PortForwarding: a port of a floating IP that leads to a
// port of a machine (Neutron). Of floating IPs and ports it knows only their IDs.
//
// Port forwardings have no tags, so the mark of the owner stands behind the description; a
// cloud whose port forwardings have none is not used. Only administrators and the project
// itself can write it.
package portforwarding

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/addressing"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is what a port forwarding shall be. Values are Neutron's (neutron-lib
// api/definitions/floating_ip_port_forwarding.py).
type Spec struct {
	Description   *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=140" doc:"Free text. Neutron takes 255 characters, and the mark of the owner stands behind it."`
	FloatingIPRef string  `json:"floatingIPRef" api:"floating_ip_id" show:"floatingIPID" rule:"required,immutable,min=1" ref:"FloatingIP" doc:"The FloatingIP whose port it is. It must lead to no port itself."`
	Protocol      string  `json:"protocol" api:"protocol" rule:"required,enum=tcp|udp|sctp|dccp" doc:"Protocol of the transport layer."`
	ExternalPort  int     `json:"externalPort" api:"external_port" rule:"required,min=1,max=65535" doc:"Port of the floating IP."`
	PortRef       string  `json:"portRef" api:"internal_port_id" show:"portID" rule:"required,min=1" ref:"Port" doc:"The Port that it leads to. No floating IP may lead to that."`
	InternalIP    string  `json:"internalIP,omitempty" api:"internal_ip_address" rule:"format=ip" doc:"The IPv4 address of that port, where it has several; the first one if left out."`
	InternalPort  int     `json:"internalPort" api:"internal_port" rule:"required,min=1,max=65535" doc:"Where the machine listens."`
}

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// More is what only Neutron says of a port forwarding.
type More struct{}

// Filter says which existing port forwarding is meant.
type Filter struct {
	FloatingIPRef string  `json:"floatingIPRef,omitempty" ref:"FloatingIP" doc:"The FloatingIP whose port it is."`
	PortRef       string  `json:"portRef,omitempty" ref:"Port" doc:"The Port that it leads to."`
	Protocol      string  `json:"protocol,omitempty" rule:"enum=tcp|udp|sctp|dccp" doc:"Protocol of the transport layer."`
	ExternalPort  *int    `json:"externalPort,omitempty" rule:"min=1,max=65535" doc:"Port of the floating IP."`
	Description   *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
}

// FilterName implements plan.Named: port forwardings have no names.
func (f *Filter) FilterName() string { return "" }

// Kind is the kind PortForwarding over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "PortForwarding", Service: cloud.Network, Rare: true,
			Unmark: "openstack floating ip port forwarding set --description <text> <floating IP> <port forwarding>, which are the two parts of <id>",
			Doc:    "A port of a floating IP that leads to a port of a machine (Neutron). Its ID is that of the floating IP, a slash, and its own."},
		Collection: define.Collection{Path: "port_forwardings", Singular: "port_forwarding", UpdateBy: http.MethodPut, Project: "project_id",
			Extension: "floating-ip-port-forwarding-description",
			Within:    &define.Within{Path: "floatingips", Attribute: "floating_ip_id", Find: find}},
		Mark:      mark.DescriptionPlace,
		Overrides: []table.Override[Spec, More]{{Field: "internalIP", Write: writeAddress}},
		Expand:    findWay, Impossible: impossible, Observe: observe, Create: create, Update: update,
	})
}

// find lists the floating IPs of the project that have port forwardings. One that leads to a
// port can have none; where a cloud does not show which have any, the others are asked.
func find(ctx context.Context, c *cloud.Client) (map[string]string, error) {
	type address struct {
		ID        string      `json:"id"`
		ProjectID string      `json:"project_id"`
		PortID    string      `json:"port_id"`
		Forwards  *[]struct{} `json:"port_forwardings"`
	}
	all, err := cloud.List[address](ctx, c, cloud.Call{Service: cloud.Network, Path: "floatingips"}, "floatingips")
	projects := map[string]string{}
	for _, a := range all {
		if a.ProjectID == c.ProjectID && a.PortID == "" && (a.Forwards == nil || len(*a.Forwards) > 0) {
			projects[a.ID] = a.ProjectID
		}
	}
	return projects, err
}

// findWay makes no object; it notes where no router leads to the port.
func findWay(s *Spec, e *kind.Expansion) {
	external := ""
	if networks, _ := e.Referred("FloatingIP", s.FloatingIPRef, "Network"); len(networks) == 1 {
		external = networks[0]
	}
	addressing.NoteWayToPort(e, "spec.resource.portRef", external, s.PortRef)
}

func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	made, err := d.Post(ctx, w, d.Creation(w))
	return made, unreachable(err)
}

func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	err := d.Write(ctx, n)
	if kind.Has(n.Changes, table.Path("portRef")) {
		err = unreachable(err)
	}
	return err
}

// unreachable explains Neutron's 400 to a port that no router connects with the external
// network: the way may still come up (services/portforwarding/pf_plugin.py).
func unreachable(err error) error {
	if errors.Is(err, kind.ErrRejected) && strings.Contains(err.Error(), "is not reachable from subnet") {
		return fmt.Errorf("%w: no way yet from the external network to the port; it needs a Router with that network as its gateway and a RouterInterface to the port's subnet: %s", kind.ErrNotYet, err.Error())
	}
	return err
}

func observe(s *state, live *kind.Live) {
	live.Name = fmt.Sprintf("%s/%d", s.Spec.Protocol, s.Spec.ExternalPort)
	live.Uses = []string{s.Spec.FloatingIPRef, s.Spec.PortRef}
}

// writeAddress says which address of the port is meant, which Neutron asks for in a creation.
func writeAddress(w typed.Want[Spec], _ *table.Object[Spec, More], body map[string]any) {
	if body["internal_ip_address"] = w.Spec.InternalIP; w.Spec.InternalIP == "" {
		body["internal_ip_address"] = w.Ref("Port", w.Spec.PortRef).Facts.Address
	}
}

// impossible says when the address is none of the port's.
func impossible(w typed.Want[Spec]) string {
	if why := addressing.Lacks(w.Spec.InternalIP, w.Ref("Port", w.Spec.PortRef)); why != "" {
		return "spec.resource.internalIP: " + why
	}
	return ""
}
