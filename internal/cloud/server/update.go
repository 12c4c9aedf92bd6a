package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// update writes the fields, plugs and attaches what is missing, detaches what is
// surplus, and then writes the metadata, which holds the mark. Nova detaches in its own
// time; until it has, the server is busy.
func update(ctx context.Context, d driver, n change) error {
	version, err := d.Client.Microversion(ctx, cloud.Compute, withDescription)
	if err != nil {
		return err
	}
	u, described := requests{driver: d, ctx: ctx, id: n.Have.ID}, cloud.AtLeast(version, withDescription)
	fields := map[string]any{}
	for name, taken := range map[string]bool{"name": true, "description": described} {
		if value, changed := n.Fields[name]; changed && taken {
			fields[name] = value
		}
	}
	if len(fields) > 0 {
		u.do(cloud.Call{Method: http.MethodPut, Body: map[string]any{"server": fields}, Microversion: version})
	}
	if tags, changed := n.Fields["tags"]; changed {
		u.tags(tags)
	}
	if kind.Has(n.Changes, "spec.resource.ports") {
		u.ports(n.Have.State.More.portIDs(), portRefs(n.Want))
	}
	if kind.Has(n.Changes, "spec.resource.volumes") {
		u.volumes(n.Want, &n.Have.State.More)
	}
	u.do(cloud.Call{Method: http.MethodPut, Path: "/metadata", Body: map[string]any{"metadata": metadata(n, described)}})
	return u.err
}

// metadata is what the metadata shall hold after an update: what is not among the
// changes stays as it is, for somebody else may look after it.
func metadata(n change, described bool) map[string]string {
	own, changed := n.Fields["metadata"].(map[string]string)
	if !changed {
		own = map[string]string{}
		for _, m := range n.Have.State.Spec.Metadata {
			own[m.Key] = m.Value
		}
	}
	all, next, have := cloud.Metadata(n.Want.Mark, own), notes(n.Want, described), n.Have.State.Notes
	same, _ := knownUserData(n.Want, have[userDataKey])
	for key, field := range map[string]string{
		userDataKey: "spec.resource.userData", hintsKey: "spec.resource.schedulerHints", descriptionKey: "spec.resource.description",
	} {
		from := have
		if kind.Has(n.Changes, field) || key == userDataKey && same { // in the form of today
			from = next
		}
		if text, ok := from[key]; ok {
			all[key] = text
		}
	}
	return all
}

// requests are a series that ends with the first error.
type requests struct {
	driver
	ctx context.Context
	id  string
	err error
}

// do makes a request below the server's own path.
func (u *requests) do(call cloud.Call) {
	if u.err == nil {
		call.Service, call.Path = cloud.Compute, u.Path(u.id)+call.Path
		u.err = u.Client.Do(u.ctx, call)
	}
}

func (u *requests) tags(tags any) {
	version, err := u.Client.Require(u.ctx, cloud.Compute, withTags, "tags of servers")
	u.err = errors.Join(u.err, err)
	u.do(cloud.Call{Method: http.MethodPut, Path: "/tags", Body: map[string]any{"tags": tags}, Microversion: version})
}

func (u *requests) ports(have []string, refs []kind.Ref) {
	missing, surplus := split(have, refs)
	for _, id := range missing {
		u.patiently(cloud.Call{Method: http.MethodPost, Path: "/os-interface", Body: map[string]any{"interfaceAttachment": map[string]any{"port_id": id}}})
	}
	u.detach("/os-interface/", "port", surplus)
}

func (u *requests) volumes(w want, have *More) {
	boot, known := bootVolume(w)
	if !known {
		return // or the boot volume would be taken for a surplus one
	}
	missing, surplus := split(have.dataVolumes(boot), volumeRefs(w))
	for _, v := range w.Spec.Volumes {
		if id := w.Ref("Volume", v.VolumeRef).ID; slices.Contains(missing, id) {
			attachment := map[string]any{"volumeId": id}
			cloud.Put(attachment, "device", v.Device)
			u.patiently(cloud.Call{Method: http.MethodPost, Path: "/os-volume_attachments", Body: map[string]any{"volumeAttachment": attachment}})
		}
	}
	u.detach("/os-volume_attachments/", "volume", surplus)
}

// detach reports that the server is busy as long as there is anything to detach.
func (u *requests) detach(path, what string, ids []string) {
	for _, id := range ids {
		u.patiently(cloud.Call{Method: http.MethodDelete, Path: path + id})
	}
	if len(ids) > 0 && u.err == nil {
		u.err = fmt.Errorf("%w: the server is detaching %s %s", kind.ErrBusy, what, strings.Join(ids, ", "))
	}
}

// patiently makes a request that Nova rejects while what it is about is still on its
// way elsewhere: it says 400 where others say 409.
func (u *requests) patiently(call cloud.Call) {
	if u.err != nil {
		return
	}
	u.do(call)
	switch {
	case errors.Is(u.err, kind.ErrGone) && call.Method == http.MethodDelete:
		u.err = nil
	case errors.Is(u.err, kind.ErrRejected):
		u.err = fmt.Errorf("%w: %s", kind.ErrBusy, u.err.Error())
	}
}
