package router

import (
	"context"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var resource = cloud.NeutronKind{Collection: "routers", Singular: "router"}

type driver struct{ c *cloud.Client }

func (d driver) live(s *State) kind.Live[*State] {
	live := cloud.Live(d.c, s.NeutronBase, s)
	switch s.Status {
	case "ALLOCATING":
		live.Phase, live.Message = kind.Pending, "the cloud is looking for agents to run it"
	case "ERROR":
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR"
	}
	if s.Gateway != nil {
		live.Uses = []string{s.Gateway.NetworkID}
	}
	return live
}

func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	return cloud.ListLive(ctx, d.c, resource, "", d.live)
}

func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	if err := w.Spec.ProjectRef.Check(d.c, w.Ref); err != nil {
		return kind.Live[*State]{}, err
	}
	want := w.Spec
	body := map[string]any{"name": rules{}.Name(w), "admin_state_up": cloud.Or(want.AdminStateUp, true)}
	if external := out(w); external.ID != "" {
		body["external_gateway_info"] = gateway{NetworkID: external.ID}
	}
	cloud.Put(body, "distributed", want.Distributed)
	if want.AvailabilityZoneHints != nil {
		body["availability_zone_hints"] = want.AvailabilityZoneHints
	}
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, w.Mark, labels(w))
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(made), nil
}

// Update writes the gateway on its own: together with a revision to match,
// Neutron sets the gateway, finds that this has raised the revision, and
// answers 412 (neutron/db/l3_db.py: update_router).
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	base := have.State.NeutronBase
	if kind.Has(changes, "spec.resource.externalGateways") {
		var answer struct {
			Router State `json:"router"`
		}
		err := d.c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + have.ID, Into: &answer,
			Body: map[string]any{"router": map[string]any{"external_gateway_info": gatewayValue(w)}}})
		if err != nil {
			return err
		}
		base = answer.Router.NeutronBase
	}
	fields := cloud.Changed(changes, map[string]cloud.Attribute{
		"spec.resource.name":         {Name: "name", Value: rules{}.Name(w)},
		"spec.resource.adminStateUp": {Name: "admin_state_up", Value: cloud.Or(w.Spec.AdminStateUp, true)},
	})
	return cloud.UpdateNeutron(ctx, d.c, resource, base, changes, fields, w.Mark, labels(w))
}

// gatewayValue is the gateway as Neutron takes it in an update: {} for none.
func gatewayValue(w kind.Want[Spec]) any {
	if external := out(w); external.ID != "" {
		return gateway{NetworkID: external.ID}
	}
	return struct{}{}
}

func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
}
