package router

import (
	"context"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
)

// update writes the gateway in a separate request without a revision. With a revision to match,
// Neutron would set the gateway, see that this has raised the revision, and answer 412
// (neutron/db/l3_db.py: update_router).
func update(ctx context.Context, d *define.Driver[Spec, Filter, More], change define.Change[Spec, More]) error {
	if gateway, changed := change.Fields["external_gateway_info"]; changed {
		var answer struct {
			Router define.Standard `json:"router"`
		}
		err := d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + change.Have.ID, Into: &answer,
			Body: map[string]any{"router": map[string]any{"external_gateway_info": gateway}}})
		if err != nil {
			return err
		}
		change.Now = &answer.Router
		delete(change.Fields, "external_gateway_info")
	}
	return d.Write(ctx, change)
}
