package define

import (
	"context"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Record is a tag on the ports of machines that says what there was inside them. It begins with kind.OwnerPrefix, as a part of
// a mark does: no manifest can hold one, and none is compared with a manifest's. It stays when the mark is written, and goes when the mark is taken off.
type Record string

// Ports are the IDs of the ports that have the tag.
func (r Record) Ports(ctx context.Context, c *cloud.Client) (map[string]bool, error) {
	tags, err := records(ctx, c, "ports?fields=id&fields=tags&tags="+string(r))
	ids := map[string]bool{}
	for id := range tags {
		ids[id] = true
	}
	return ids, err
}

// Put tags a port.
func (r Record) Put(ctx context.Context, c *cloud.Client, portID string) error {
	return c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + portID + "/tags/" + string(r)})
}

// RecordsOfPorts are the tags of such a form that ports have, by their IDs.
func RecordsOfPorts(ctx context.Context, c *cloud.Client) (map[string][]string, error) {
	return records(ctx, c, "ports?fields=id&fields=tags")
}

func records(ctx context.Context, c *cloud.Client, path string) (map[string][]string, error) {
	var answer struct {
		Ports []struct {
			ID   string
			Tags []string
		}
	}
	err := c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: path, Into: &answer})
	tags := map[string][]string{}
	for _, p := range answer.Ports {
		for _, tag := range p.Tags {
			if strings.HasPrefix(tag, kind.OwnerPrefix) {
				tags[p.ID] = append(tags[p.ID], tag)
			}
		}
	}
	return tags, err
}
