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
	if u.err != nil {
		return
	}
	surplus := p.surplus()
	for i, ref := range p.refs {
		if slices.Contains(p.have, ref.ID) {
			continue
		}
		if u.patiently(cloud.Call{Method: http.MethodPost, Path: p.path, Body: p.body(i)}); u.err == nil {
			continue
		}
		if !errors.Is(u.err, kind.ErrBusy) || len(surplus) == 0 {
			return
		}
		if n, ok := p.holders.ours(u.ctx, u.Client, ref.ID, own); !ok || n == 0 {
			return
		}
		u.err = nil
		break
	}
	for _, id := range surplus {
		u.patiently(cloud.Call{Method: http.MethodDelete, Path: p.path + "/" + id})
	}
	if len(surplus) > 0 && u.err == nil {
		u.err = fmt.Errorf("%w: the server is detaching %s %s", kind.ErrBusy, p.what, strings.Join(surplus, ", "))
	}
}

// holders are the servers that have a port, or a volume, which is given by its ID.
type holders func(ctx context.Context, c *cloud.Client, id string) (servers []string, err error)

// ours is how many servers of the stack have one; ok is false where others have it, or where that is not known.
func (of holders) ours(ctx context.Context, c *cloud.Client, id string, own kind.Mark) (n int, ok bool) {
	servers, err := of(ctx, c, id)
	foreign := slices.ContainsFunc(servers, func(server string) bool { return define.NotForeign(ctx, c, server, &own) != nil })
	return len(servers), err == nil && !foreign
}

// freed takes the ports of the stack out of servers that are gone, which Nova can leave behind when it fails one: else no other
// server could be plugged in. (Launchpad 2134375)
func freed(ctx context.Context, c *cloud.Client, w want, refused error) error {
	if !errors.Is(refused, kind.ErrBusy) || !strings.Contains(refused.Error(), "is still in use") {
		return refused
	}
	for _, p := range w.Spec.Ports {
		ref := w.Ref("Port", p.PortRef)
		servers, err := holdersOfPort(ctx, c, ref.ID)
		if err != nil || len(servers) == 0 || !ref.Managed || !define.ServerGone(ctx, c, servers[0]) {
			continue
		}
		free := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + ref.ID, Body: map[string]any{"port": map[string]any{"device_id": "", "device_owner": ""}}}
		if err := c.Do(ctx, free); err != nil {
			return fmt.Errorf("%w; server %s, which is gone, is still named by Port %s: %w", refused, servers[0], ref.Name, err)
		}
		refused = fmt.Errorf("%w; Port %s was taken out of server %s, which is gone", refused, ref.Name, servers[0])
	}
	return refused
}

// orWait says of a server that cannot be made, since a volume is in use, that it has to wait, unless others have one of its
// volumes: a server of the stack may be giving it away, or has just done so.
func orWait(ctx context.Context, c *cloud.Client, w want, err error) error {
	if !errors.Is(err, kind.ErrRejected) || !strings.Contains(err.Error(), "status is in-use") {
		return err
	}
	for _, v := range willHave(w).Volumes {
		if _, ok := holders(holdersOfVolume).ours(ctx, c, v.ID, w.Mark); !ok {
			return err
		}
	}
	return cloud.Passes(err, "status is in-use")
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
