// Package portforwarding is the kind PortForwarding: a port of a floating IP that is forwarded to
// a port of a machine (Neutron). The package knows floating IPs and ports only by their IDs.
//
// Port forwardings have no tags, so the owner mark is at the end of the description. A cloud
// whose port forwardings have no description is not supported. Only administrators and the
// project itself can write the description.
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

// Spec is the desired state of a port forwarding. Values are from Neutron (neutron-lib
// api/definitions/floating_ip_port_forwarding.py).
type Spec struct {
	Description   *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=140" doc:"Free text. Neutron accepts 255 characters, including the owner mark at the end."`
	FloatingIPRef string  `json:"floatingIPRef" api:"floating_ip_id" show:"floatingIPID" rule:"required,immutable,min=1" ref:"FloatingIP" doc:"The FloatingIP of the forwarded port. The FloatingIP must not have a portRef of its own."`
	Protocol      string  `json:"protocol" api:"protocol" rule:"required,enum=tcp|udp|sctp|dccp" doc:"Protocol of the transport layer."`
	ExternalPort  int     `json:"externalPort" api:"external_port" rule:"required,min=1,max=65535" doc:"Port of the floating IP."`
	PortRef       string  `json:"portRef" api:"internal_port_id" show:"portID" rule:"required,min=1" ref:"Port" doc:"The Port to which connections are forwarded. That Port must have no floating IP."`
	InternalIP    string  `json:"internalIP,omitempty" api:"internal_ip_address" rule:"format=ip" doc:"The IPv4 address of that port, if it has several; the first one if left out."`
	InternalPort  int     `json:"internalPort" api:"internal_port" rule:"required,min=1,max=65535" doc:"Port on which the machine listens."`
}

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// More holds the fields of a port forwarding that only Neutron sets.
type More struct{}

// Filter selects an existing port forwarding.
type Filter struct {
	FloatingIPRef string  `json:"floatingIPRef,omitempty" ref:"FloatingIP" doc:"The FloatingIP of the forwarded port."`
	PortRef       string  `json:"portRef,omitempty" ref:"Port" doc:"The Port to which connections are forwarded."`
	Protocol      string  `json:"protocol,omitempty" rule:"enum=tcp|udp|sctp|dccp" doc:"Protocol of the transport layer."`
	ExternalPort  *int    `json:"externalPort,omitempty" rule:"min=1,max=65535" doc:"Port of the floating IP."`
	Description   *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
}

// FilterName is "": port forwardings have no names.
func (f *Filter) FilterName() string { return "" }

// Kind returns the kind PortForwarding. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "PortForwarding", Service: cloud.Network, Rare: true,
			Unmark: "openstack floating ip port forwarding set --description <text> <floating IP> <port forwarding>, which are the two parts of <id>",
			Doc:    "A port of a floating IP, whose connections are forwarded to a port of a machine (Neutron). Its ID consists of the ID of the floating IP, a slash, and its own ID."},
		Collection: define.Collection{Path: "port_forwardings", Singular: "port_forwarding", UpdateBy: http.MethodPut, Project: "project_id",
			Extension: "floating-ip-port-forwarding-description",
			Within:    &define.Within{Path: "floatingips", Attribute: "floating_ip_id", Find: find}},
		Mark:      mark.DescriptionPlace,
		Overrides: []table.Override[Spec, More]{{Field: "internalIP", Write: writeAddress}},
		Expand:    findWay, Impossible: impossible, Observe: observe, Create: create, Update: update,
	})
}

// find returns the floating IPs of the project that may have port forwardings, with their
// projects. A floating IP that is associated with a port has none. If the cloud does not show
// which of the other floating IPs have port forwardings, find returns all of these.
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

// findWay adds no object to the expansion. It adds a note if no router leads to the port.
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

// unreachable explains Neutron's answer 400 if no router connects the port with the external
// network. The error is ErrNotYet, because a router may be added later
// (services/portforwarding/pf_plugin.py).
func unreachable(err error) error {
	if errors.Is(err, kind.ErrRejected) && strings.Contains(err.Error(), "is not reachable from subnet") {
		return fmt.Errorf("%w: there is no route yet from the external network to the port; create a Router with that network as its gateway and a RouterInterface to the port's subnet: %s", kind.ErrNotYet, err.Error())
	}
	return err
}

func observe(s *state, live *kind.Live) {
	live.Name = fmt.Sprintf("%s/%d", s.Spec.Protocol, s.Spec.ExternalPort)
	live.Uses = []string{s.Spec.FloatingIPRef, s.Spec.PortRef}
}

// writeAddress writes the address of the port, which Neutron requires in a create request.
func writeAddress(w typed.Want[Spec], _ *table.Object[Spec, More], body map[string]any) {
	if body["internal_ip_address"] = w.Spec.InternalIP; w.Spec.InternalIP == "" {
		body["internal_ip_address"] = w.Ref("Port", w.Spec.PortRef).Facts.Address
	}
}

// impossible returns a reason if the port does not have the address.
func impossible(w typed.Want[Spec]) string {
	if why := addressing.Lacks(w.Spec.InternalIP, w.Ref("Port", w.Spec.PortRef)); why != "" {
		return "spec.resource.internalIP: " + why
	}
	return ""
}
