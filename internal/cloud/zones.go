package cloud

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Zones are the availability zones of a service that are available, by name. It is
// [kind.ErrNoService] for services that are not asked for them.
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
