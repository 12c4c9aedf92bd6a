package m3dbinstance

import (
	"context"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// recordTag is on the ports of instances that there were. Tags of this form are taken for a part of a mark: no manifest can hold one, and
// none is compared with a manifest's. What writes a port's mark takes it off, and it is written again.
const recordTag = kind.OwnerPrefix + "m3db"

// recorded are the IDs of the ports of instances that there were.
func (d driver) recorded(ctx context.Context) (map[string]bool, error) {
	var answer struct {
		Ports []struct{ ID string }
	}
	err := d.cloud.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: "ports?fields=id&tags=" + recordTag, Into: &answer})
	ids := map[string]bool{}
	for _, p := range answer.Ports {
		ids[p.ID] = true
	}
	return ids, err
}

// record notes that there was an instance.
func (d driver) record(ctx context.Context, portID string) error {
	return d.cloud.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + portID + "/tags/" + recordTag})
}
