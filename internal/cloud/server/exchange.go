package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// exchange plugs in what is missing and detaches what is surplus. It reports that the
// server is busy as long as there is anything to detach. What goes stays until what comes
// is there, unless another server of the stack has that: it may wait for what goes here.
func (u *requests) exchange(p plugs, own kind.Mark) {
	for i, ref := range p.refs {
		if slices.Contains(p.have, ref.ID) {
			continue
		}
		u.patiently(cloud.Call{Method: http.MethodPost, Path: p.path, Body: p.body(i)})
		if errors.Is(u.err, kind.ErrBusy) && len(p.surplus()) > 0 && u.oursHas(p, ref.ID, own) {
			u.err = nil
			break
		}
	}
	surplus := p.surplus()
	for _, id := range surplus {
		u.patiently(cloud.Call{Method: http.MethodDelete, Path: p.path + "/" + id})
	}
	if len(surplus) > 0 && u.err == nil {
		u.err = fmt.Errorf("%w: the server is detaching %s %s", kind.ErrBusy, p.what, strings.Join(surplus, ", "))
	}
}

// oursHas reports whether a port or a volume is plugged into servers of the stack, and into no others.
func (u *requests) oursHas(p plugs, id string, own kind.Mark) bool {
	servers, err := p.holders(u.ctx, u.Client, id)
	return err == nil && len(servers) > 0 && !slices.ContainsFunc(servers, func(server string) bool {
		return define.NotForeign(u.ctx, u.Client, server, &own) != nil
	})
}

// holdersOfPort is the server that a port is plugged into.
func holdersOfPort(ctx context.Context, c *cloud.Client, id string) (servers []string, err error) {
	var answer struct {
		Port struct {
			Device string `json:"device_id"`
		} `json:"port"`
	}
	err = c.Do(ctx, cloud.Call{Service: cloud.Network, Path: "ports/" + id, Into: &answer})
	if answer.Port.Device != "" {
		servers = []string{answer.Port.Device}
	}
	return servers, err
}

// holdersOfVolume are the servers that a volume is attached to.
func holdersOfVolume(ctx context.Context, c *cloud.Client, id string) (servers []string, err error) {
	var answer struct {
		Volume struct {
			Attachments []struct {
				Server string `json:"server_id"`
			} `json:"attachments"`
		} `json:"volume"`
	}
	err = c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/" + id, Into: &answer})
	for _, a := range answer.Volume.Attachments {
		servers = append(servers, a.Server)
	}
	return servers, err
}
