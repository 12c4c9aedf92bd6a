package cloud

import "context"

// Hosts returns how many hosts of Nova are enabled and up, by availability zone. Nova shows this only to
// administrators ([kind.ErrForbidden]).
func (c *Client) Hosts(ctx context.Context) (map[string]int, error) {
	var answer struct {
		Services []struct{ Zone, Status, State string } `json:"services"`
	}
	if err := c.Do(ctx, Call{Service: Compute, Method: "GET", Path: "os-services?binary=nova-compute", Into: &answer}); err != nil {
		return nil, err
	}
	hosts := map[string]int{}
	for _, s := range answer.Services {
		if s.Status == "enabled" && s.State == "up" {
			hosts[s.Zone]++
		}
	}
	return hosts, nil
}
