package member

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Record is a tag on the port of a machine that says what existed in the machine. It begins with ownertext.Prefix, like the parts of a mark. So no
// manifest can contain it, and it is not compared with the manifest's tags. It stays when the mark is written, and is removed together with the mark.
type Record string

// Begins returns the record for the port of a machine without data: the machine at this address may begin what r records.
func (r Record) Begins(address string) Record { return r + "-begins:" + Record(address) }

// On reports whether the tags of a port say that the stack has begun, or may have begun, what r records at this address.
func (r Record) On(tags []string, address string) bool {
	return slices.Contains(tags, string(r)) || slices.Contains(tags, string(r.Begins(address)))
}

// Put tags a port.
func (r Record) Put(ctx context.Context, c *cloud.Client, portID string) error {
	return c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + portID + "/tags/" + string(r)})
}

// RecordsOfPorts returns the records of all ports, by the IDs of the ports. If the list is incomplete, it returns an error.
func RecordsOfPorts(ctx context.Context, c *cloud.Client) (map[string][]string, error) {
	type port struct {
		ID   string
		Tags []string
	}
	tags := map[string][]string{}
	err := cloud.Each(ctx, c, cloud.Call{Service: cloud.Network, Path: "ports?fields=id&fields=tags"}, "ports", func(p port) error {
		for _, tag := range p.Tags {
			if strings.HasPrefix(tag, ownertext.Prefix) {
				tags[p.ID] = append(tags[p.ID], tag)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err // the list is incomplete
	}
	return tags, nil
}
