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

// exchange attaches the missing ports or volumes, and detaches the surplus ones. It returns an error that means busy while anything
// has to be detached. The surplus stays until the missing ones are attached, with one exception. If another server of the stack still
// has a missing one, the surplus is detached first, because that server may be waiting for it.
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
		if n, ok := p.holders.countOwn(u.ctx, u.Client, ref.ID, own); !ok || n == 0 {
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

// holders is a function that returns the servers to which the port, or the volume, with that ID is attached.
type holders func(ctx context.Context, c *cloud.Client, id string) (servers []string, err error)

// countOwn returns the number of holders if all of them belong to the stack. ok is false if others are among them, or if that is unknown.
func (of holders) countOwn(ctx context.Context, c *cloud.Client, id string, own kind.Mark) (n int, ok bool) {
	servers, err := of(ctx, c, id)
	foreign := slices.ContainsFunc(servers, func(server string) bool { return define.NotForeign(ctx, c, server, &own) != nil })
	return len(servers), err == nil && !foreign
}

// detachFromGone detaches the stack's ports from servers that no longer exist. If a server fails, Nova can leave its ports attached, and then
// no other server could use them. (Launchpad 2134375)
func detachFromGone(ctx context.Context, c *cloud.Client, w want, refused error) error {
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
			return fmt.Errorf("%w; server %s no longer exists, but Port %s still names it: %w", refused, servers[0], ref.Name, err)
		}
		refused = fmt.Errorf("%w; Port %s was detached from server %s, which no longer exists", refused, ref.Name, servers[0])
	}
	return refused
}

// orWait handles the error of a create request whose volume is in use. The error becomes busy if only servers of the stack have the
// volumes, because such a server may be detaching the volume. If somebody else's server has one of the volumes, the error is returned
// unchanged.
func orWait(ctx context.Context, c *cloud.Client, w want, err error) error {
	if !errors.Is(err, kind.ErrRejected) || !strings.Contains(err.Error(), "status is in-use") {
		return err
	}
	for _, v := range willHave(w).Volumes {
		if _, ok := holders(holdersOfVolume).countOwn(ctx, c, v.ID, w.Mark); !ok {
			return err
		}
	}
	return cloud.Passes(err, "status is in-use")
}

// holdersOfPort returns the server to which a port is attached.
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

// holdersOfVolume returns the servers to which a volume is attached.
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
