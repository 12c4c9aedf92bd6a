package member

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Record is a tag on the ports of machines that says what there was inside them. It begins with ownertext.Prefix, as a part of
// a mark does: no manifest can hold one, and none is compared with a manifest's. It stays when the mark is written, and goes when the mark is taken off.
type Record string

// Begins is the record that the machine at an address, which had nothing, may begin what r says that there was.
func (r Record) Begins(address string) Record { return r + "-begins:" + Record(address) }

// On reports whether the tags of a port at an address say that the stack has begun it there, or may have.
func (r Record) On(tags []string, address string) bool {
	return slices.Contains(tags, string(r)) || slices.Contains(tags, string(r.Begins(address)))
}

// Put tags a port.
func (r Record) Put(ctx context.Context, c *cloud.Client, portID string) error {
	return c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + portID + "/tags/" + string(r)})
}

// RecordsOfPorts are the tags of such a form that ports have, by their IDs: those of all ports, or an error.
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
		return nil, err // what came is not all
	}
	return tags, nil
}
