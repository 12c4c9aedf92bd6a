package floatingip

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// observe reports a floating IP with status DOWN as ready, because it is DOWN while it is not associated.
func observe(s *state, live *kind.Live) {
	live.Name, live.InUse = s.Spec.FloatingIP, s.Spec.PortRef != ""
	live.Tokens = []string{kind.ValueToken(s.Spec.FloatingNetworkRef, table.IP(live.Name))}
	live.Facts = kind.Facts{Address: live.Name, Addresses: []string{live.Name}}
	live.Uses = slices.DeleteFunc([]string{s.Spec.FloatingNetworkRef, s.Spec.PortRef, s.More.RouterID, table.Or(s.Spec.QoSPolicyRef, "")}, func(id string) bool { return id == "" })
	if s.More.Status == "ERROR" {
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR"
	}
}

func addresses(s *state) []string { return []string{s.Spec.FloatingIP} }

// writeSubnet writes the subnet from which the address is taken, and the network of the subnet.
func writeSubnet(w typed.Want[Spec], _ *table.Object[Spec, More], body map[string]any) {
	if subnet := w.Ref("Subnet", w.Spec.FloatingSubnetRef); subnet.Name != "" {
		body["floating_network_id"], body["subnet_id"] = subnet.Facts.NetworkID, subnet.ID
	}
}

// create associates the address in the create request if one request can set everything. Otherwise it associates the
// address in the last request, for this reason: if the port has several addresses, Neutron refuses every later update that does not
// repeat the association.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	_, port := target(w)
	if port.Name == "" {
		return d.Post(ctx, w, d.Creation(w))
	}
	last := map[string]any{}
	associate(last, w)
	made, err := d.PostLast(ctx, w, d.Creation(w), last)
	return made, unreachable(err)
}

// remove deletes the address. Neutron answers 500 if the address has a name in DNS and Neutron cannot delete its record.
// (Launchpad 2149807)
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	gone, err = d.Remove(ctx, have.ID)
	if name := table.Or(have.State.Spec.DNSName, ""); name != "" && err != nil && len(kind.ClassesOf(err)) == 0 {
		err = fmt.Errorf("the address has the name %s.%s, and Neutron may be unable to delete the record of this name: if the error persists, delete the record set in the DNS service: %w",
			name, table.Or(have.State.Spec.DNSDomain, ""), err)
	}
	return gone, err
}

// associate puts the association into the body of a request. Neutron requires the port and the fixed address together.
func associate(body map[string]any, w typed.Want[Spec]) {
	body["port_id"] = nil
	if _, port := target(w); port.Name != "" {
		body["port_id"] = port.ID
	}
	if w.Spec.FixedIP != "" {
		body["fixed_ip_address"] = w.Spec.FixedIP
	}
}

// unreachable explains Neutron's 404 for a port that no router connects with the external network. The router may be
// created later. Of the error it uses only the text, because the floating IP itself still exists.
func unreachable(err error) error {
	if errors.Is(err, kind.ErrGone) {
		return fmt.Errorf("%w: there is no route yet from the external network to the port; create a Router with that network as its gateway and a RouterInterface to the port's subnet: %s", kind.ErrNotYet, err.Error())
	}
	return err
}

// update repeats the association whenever it writes an attribute, see create. It writes tags in a separate request. It
// writes an association without requiring a certain revision of the object.
func update(ctx context.Context, d driver, change define.Change[Spec, More]) error {
	spec := change.Have.State.Spec
	moved := slices.ContainsFunc([]string{"portRef", "loadBalancerRef", "fixedIP"}, func(f string) bool { return kind.Has(change.Changes, table.Path(f)) })
	switch {
	case moved:
		associate(change.Fields, change.Want)
		change.Raised = true
		return makeRoom(ctx, d, change, unreachable(d.Write(ctx, change)))
	case spec.PortRef != "" && (len(change.Fields) > 0 || change.Have.State.Standard.MarkInDescription() || kind.Has(change.Changes, table.Path("description"))):
		change.Fields["port_id"], change.Fields["fixed_ip_address"] = spec.PortRef, spec.FixedIP
	}
	return d.Write(ctx, change)
}

// makeRoom removes the association of this address if another address of the stack is still associated with the wanted
// port. That address may wait for this one's port, and Neutron associates a fixed address with only one floating IP. The
// manifest no longer declares the present association, so nothing is lost.
func makeRoom(ctx context.Context, d driver, change define.Change[Spec, More], busy error) error {
	_, port := target(change.Want)
	if !errors.Is(busy, kind.ErrBusy) || port.ID == "" || change.Have.State.Spec.PortRef == "" {
		return busy
	}
	holders, err := d.Find(ctx, "?port_id="+url.QueryEscape(port.ID))
	if err != nil || !slices.ContainsFunc(holders, func(h *state) bool { return h.ID != change.Have.ID && sameStack(h.Mark, change.Want.Mark) }) {
		return busy
	}
	call := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "floatingips/" + change.Have.ID, Body: map[string]any{"floatingip": map[string]any{"port_id": nil}}}
	if err := d.Client.Do(ctx, call); err != nil {
		return fmt.Errorf("%w; to make room: %w", busy, err)
	}
	return busy
}

// sameStack reports whether a mark belongs to the same stack as another mark.
func sameStack(m *kind.Mark, of kind.Mark) bool {
	ours, ok := ownertext.Parse(of.Owner)
	if !ok {
		return false
	}
	return slices.ContainsFunc(m.Owners(), func(text string) bool {
		o, ok := ownertext.Parse(text)
		return ok && o.Stack == ours.Stack
	})
}
