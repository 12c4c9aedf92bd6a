package port

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// observe sets no phase, so every status counts as Ready: the status of a port without a machine is DOWN.
func observe(s *state, live *kind.Live) {
	live.Uses = append([]string{s.Spec.NetworkRef}, s.Spec.SecurityGroupRefs...)
	if policy := table.Or(s.Spec.QoSPolicyRef, ""); policy != "" {
		live.Uses = append(live.Uses, policy)
	}
	live.Tokens, live.InUse = tokens(&s.Spec), s.More.DeviceID != ""
	live.Role, live.ServesID = role(s.More), madeFor(s.More)
	live.Facts = kind.Facts{NetworkID: s.Spec.NetworkRef}
	if define.IsRouterPort(s.More.DeviceOwner) {
		live.AlsoListedAs = "RouterInterface"
	}
	for i, a := range s.Spec.Addresses {
		live.Uses, live.Facts.Addresses = append(live.Uses, a.SubnetRef), append(live.Facts.Addresses, table.Or(a.IP, ""))
		if i == 0 {
			live.Facts.Address, live.Facts.SubnetID = table.Or(a.IP, ""), a.SubnetRef
		}
	}
}

func addresses(s *state) (list []string) {
	for _, a := range s.Spec.Addresses {
		list = append(list, table.Or(a.IP, ""))
	}
	return list
}

// create sends empty lists of addresses and security groups if the manifest names none. Without the lists, Neutron would choose some.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	if _, hidden := host(w); hidden != "" {
		return nil, fmt.Errorf("%w: spec.resource.hostID.serverRef: the cloud does not show the host of Server %s; it shows hosts only to administrators, and only if the server has one; give the host's name as hostID.id",
			kind.ErrRejected, hidden)
	}
	body := map[string]any{"fixed_ips": []string{}, "security_groups": []string{}}
	if w.Spec.DefaultSecurityGroup {
		delete(body, "security_groups")
	}
	for _, v := range w.Spec.ValueSpecs {
		body[v.Key] = *v.Value
	}
	maps.Copy(body, d.Creation(w))
	if w.Spec.anyAddress() {
		delete(body, "fixed_ips")
	}
	return d.Post(ctx, w, body)
}

// remove refuses to delete a port that is plugged into an existing machine, unless another port will replace it. It also refuses
// if the machine belongs to somebody else. A port can still name a machine that no longer exists. (Launchpad 2134375)
func remove(ctx context.Context, d driver, have typed.Live[state]) (bool, error) {
	if m := have.State.More; m.DeviceID != "" && strings.HasPrefix(m.DeviceOwner, "compute:") {
		if !have.Recreated && !define.ServerGone(ctx, d.Client, m.DeviceID) {
			return false, fmt.Errorf("%w: the port is attached to server %s; remove it from that server first", kind.ErrBusy, m.DeviceID)
		}
		if err := define.NotForeign(ctx, d.Client, m.DeviceID, have.Mark); err != nil {
			return false, err
		}
	}
	return d.Remove(ctx, have.ID)
}
