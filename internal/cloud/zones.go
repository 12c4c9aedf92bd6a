package cloud

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Zones are the names of the available zones of a service. The error is [kind.ErrNoService] for
// services other than Nova and Cinder.
func (c *Client) Zones(ctx context.Context, service string) ([]string, error) {
	if service != Compute && service != BlockStorage {
		return nil, kind.ErrNoService
	}
	var answer struct {
		Zones []struct {
			Name  string `json:"zoneName"`
			State struct {
				Available bool `json:"available"`
			} `json:"zoneState"`
		} `json:"availabilityZoneInfo"`
	}
	if err := c.Do(ctx, Call{Service: service, Method: "GET", Path: "os-availability-zone", Into: &answer}); err != nil {
		return nil, err
	}
	var names []string
	for _, zone := range answer.Zones {
		if zone.State.Available {
			names = append(names, zone.Name)
		}
	}
	return names, nil
}
